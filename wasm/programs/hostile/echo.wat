;; Returns the number of each item, as a well-behaved program would.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (local $n i32) (local $item i64) (local $at i32) (local $end i32)
    (local.set $n (i32.load offset=16 (local.get $frame)))
    (local.set $item (i64.load offset=8 (local.get $frame)))
    (local.set $at (i32.const 32768))
    (local.set $end (i32.add (local.get $at) (i32.shl (local.get $n) (i32.const 3))))
    (block $done
      (loop $next
        (br_if $done (i32.eq (local.get $at) (local.get $end)))
        (f64.store (local.get $at) (f64.convert_i64_u (local.get $item)))
        (local.set $item (i64.add (local.get $item) (i64.const 1)))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (br $next)))
    (i64.or
      (i64.const 0x800000000000)
      (i64.extend_i32_u (i32.shl (local.get $n) (i32.const 3))))))

;; Writes its results over the frame that it was given.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (local $left i32) (local $n i32) (local $at i32)
    (local.set $left (i32.load offset=16 (local.get $frame)))
    (local.set $n (local.get $left))
    (local.set $at (local.get $frame))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $left)))
        (f64.store (local.get $at) (f64.const 1))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br $next)))
    (i64.or
      (i64.shl (i64.extend_i32_u (local.get $frame)) (i64.const 32))
      (i64.extend_i32_u (i32.shl (local.get $n) (i32.const 3))))))

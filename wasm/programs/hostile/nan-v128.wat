;; Divides vectors of zeros and takes the bits of a lane.
(module
  (memory (export "memory") 1)
  (func $value (result f64)
    (f64.convert_i64_u (i64.shr_u (i64x2.extract_lane 0 (f64x2.div (v128.load (i32.const 512)) (v128.load (i32.const 512)))) (i64.const 32))))
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (local $left i32) (local $at i32)
    (local.set $left (i32.load offset=16 (local.get $frame)))
    (local.set $at (i32.const 32768))
    (block $done
      (loop $next
        (br_if $done (i32.eqz (local.get $left)))
        (f64.store (local.get $at) (call $value))
        (local.set $at (i32.add (local.get $at) (i32.const 8)))
        (local.set $left (i32.sub (local.get $left) (i32.const 1)))
        (br $next)))
    (i64.or
      (i64.const 0x800000000000)
      (i64.extend_i32_u (i32.shl (i32.load offset=16 (local.get $frame)) (i32.const 3))))))

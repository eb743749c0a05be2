;; Returns one byte too few.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (i64.or
      (i64.const 0x800000000000)
      (i64.extend_i32_u
        (i32.sub (i32.shl (i32.load offset=16 (local.get $frame)) (i32.const 3)) (i32.const 1))))))

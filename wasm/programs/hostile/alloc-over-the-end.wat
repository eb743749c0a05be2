;; Says that a frame fits where only its first 8 bytes do.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param $n i32) (result i32)
    (i32.const 65528))
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

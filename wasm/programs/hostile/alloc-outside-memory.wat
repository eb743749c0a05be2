;; Says that a frame fits far outside its memory.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param $n i32) (result i32)
    (i32.const 0xfffffff0))
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

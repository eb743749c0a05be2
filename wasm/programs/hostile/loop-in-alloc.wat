;; Loops for ever in alloc.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    (loop $again (br $again))
    unreachable)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

;; Loops for ever in _initialize.
(module
  (memory (export "memory") 1)
  (func (export "_initialize")
    (loop $again (br $again)))
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

;; Asks for a table of ten million functions.
(module
  (memory (export "memory") 1)
  (table 10000000 funcref)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

;; Imports a table of functions that it does not have.
(module
  (import "env" "table" (table 1 funcref))
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

;; Calls an empty place of a table.
(module
  (memory (export "memory") 1)
  (table 1 funcref)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (call_indirect (result i64) (i32.const 0))))

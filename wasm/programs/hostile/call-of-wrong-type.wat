;; Calls a function through a table as if it had another type.
(module
  (memory (export "memory") 1)
  (table funcref (elem $f))
  (func $f (param i64) (result i64)
    (local.get 0))
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (call_indirect (result i64) (i32.const 0))))

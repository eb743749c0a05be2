;; Calls itself for ever through a table, which hides who calls whom.
(module
  (memory (export "memory") 1)
  (table funcref (elem $deep))
  (type $f (func (param i64) (result i64)))
  (func $deep (type $f)
    (i64.add (call_indirect (type $f) (local.get 0) (i32.const 0)) (i64.const 1)))
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (call $deep (i64.const 0))))

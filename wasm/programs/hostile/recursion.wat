;; Calls itself for ever, with few locals.
(module
  (memory (export "memory") 1)
  (func $deep (param $n i64) (result i64)
    (i64.add (call $deep (i64.add (local.get $n) (i64.const 1))) (i64.const 1)))
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (call $deep (i64.const 0))))

;; Calls itself for ever without using stack.
(module
  (memory (export "memory") 1)
  (func $again (param i32 i32) (result i64)
    (return_call $again (local.get 0) (local.get 1)))
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (return_call $again (local.get $frame) (local.get $len))))

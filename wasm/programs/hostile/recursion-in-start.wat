;; Calls itself for ever in its start function.
(module
  (memory (export "memory") 1)
  (func $start
    (call $start)
    (call $start))
  (start $start)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

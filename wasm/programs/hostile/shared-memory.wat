;; Has memory that threads could share.
(module
  (memory (export "memory") 1 1 shared)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

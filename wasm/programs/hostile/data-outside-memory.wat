;; Has a data segment that does not fit in its memory, so that no instance of it can exist.
(module
  (memory (export "memory") 1)
  (data (i32.const 65535) "ab")
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

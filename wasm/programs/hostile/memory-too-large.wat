;; Asks for 4 GiB of memory from the beginning.
(module
  (memory (export "memory") 65536)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

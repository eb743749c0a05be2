;; Imports its memory, which others could hold too.
(module
  (import "env" "memory" (memory 1))
  (export "memory" (memory 0))
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

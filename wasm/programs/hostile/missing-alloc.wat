;; Does not export alloc.
(module
  (memory (export "memory") 1)
  (func (export "run") (param i32 i32) (result i64)
    unreachable))

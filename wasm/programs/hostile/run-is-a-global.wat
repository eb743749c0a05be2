;; Exports a global under the name run.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (global (export "run") i64 (i64.const 0)))

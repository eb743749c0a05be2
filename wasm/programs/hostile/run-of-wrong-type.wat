;; Exports a run that returns 32 bits.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param i32 i32) (result i32)
    unreachable))

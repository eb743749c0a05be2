;; alloc loops without end.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (loop $l (br $l)) (i32.const 0))
  (func (export "run") (param i32 i32) (result i64) (i64.const 0))
  )

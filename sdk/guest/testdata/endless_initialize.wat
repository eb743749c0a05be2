;; _initialize loops without end.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 0))
  (func (export "run") (param i32 i32) (result i64) (i64.const 0))
  (func (export "_initialize") (loop $l (br $l))))

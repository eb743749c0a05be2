;; start loops without end.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 0))
  (func (export "run") (param i32 i32) (result i64) (i64.const 0))
  (func $s (loop $l (i32.store (i32.const 0) (i32.const 1)) (br $l))) (start $s))

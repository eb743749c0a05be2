;; Has no memory at all.
(module
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param i32 i32) (result i64)
    unreachable))

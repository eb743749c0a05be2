;; Has an element segment that does not fit in its table, so that no instance of it can exist.
(module
  (memory (export "memory") 1)
  (table 1 funcref)
  (elem (i32.const 1) func $f)
  (func $f)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    unreachable))

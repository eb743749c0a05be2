;; Has an atomic instruction, on memory that is not shared.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (drop (i32.atomic.rmw.add (local.get $frame) (i32.const 1)))
    unreachable))

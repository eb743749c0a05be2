;; Fills its whole table for ever, with one cheap instruction each time.
(module
  (memory (export "memory") 1)
  (table $t 10000 funcref)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (loop $again
      (table.fill $t (i32.const 0) (ref.null func) (i32.const 10000))
      (br $again))
    unreachable))

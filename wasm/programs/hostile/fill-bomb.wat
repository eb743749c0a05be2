;; Fills its whole memory for ever, with one cheap instruction each time.
(module
  (memory (export "memory") 16)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (loop $again
      (memory.fill (i32.const 0) (i32.const 7) (i32.shl (memory.size) (i32.const 16)))
      (br $again))
    unreachable))

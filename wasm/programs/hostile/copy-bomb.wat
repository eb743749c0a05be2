;; Copies its whole memory onto itself for ever, with one cheap instruction each time.
(module
  (memory (export "memory") 16)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (loop $again
      (memory.copy (i32.const 0) (i32.const 1) (i32.sub (i32.shl (memory.size) (i32.const 16)) (i32.const 1)))
      (br $again))
    unreachable))

;; Copies a data segment for ever, with one cheap instruction each time.
(module
  (memory (export "memory") 1)
  (data $d "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (loop $again
      (memory.init $d (i32.const 0) (i32.const 0) (i32.const 64))
      (br $again))
    unreachable))

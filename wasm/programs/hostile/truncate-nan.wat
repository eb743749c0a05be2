;; Converts NaN to an integer.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32)
    i32.const 1024)
  (func (export "run") (param $frame i32) (param $len i32) (result i64)
    (i64.trunc_f64_s (f64.div (f64.const 0) (f64.load (i32.const 512))))))

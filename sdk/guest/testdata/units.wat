;; A program whose gas is counted by hand in the test.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func (export "run") (param i32 i32) (result i64)
    (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (if (i32.and (local.get $i) (i32.const 1))
        (then (i32.store (i32.const 0) (local.get $i)))
        (else (drop (i32.div_u (local.get $i) (i32.const 3)))))
      (br_if $l (i32.lt_u (local.get $i) (local.get 1))))
    (i64.extend_i32_u (local.get $i))))

;; A loop that calls, with a loop that does not inside: the gas moves between a
;; local and its global. It is counted by hand in the test.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func $same (param i32) (result i32) (local.get 0))
  (func (export "run") (param i32 i32) (result i64)
    (local $i i32) (local $k i32)
    (loop $outer
      (drop (call $same (local.get $i)))
      (local.set $k (i32.const 3))
      (loop $inner
        (br_if $inner (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
      (memory.fill (i32.const 0) (i32.const 0) (i32.const 80))
      (br_if $outer
        (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get 1))))
    (i64.const 7)))

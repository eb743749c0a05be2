;; run(_, n) loops without end in the way that n chooses.
(module
  (memory (export "memory") 1)
  (type $void (func))
  (table 1 funcref)
  (elem (i32.const 0) $nothing)
  (global $g (mut i32) (i32.const 0))
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func $nothing)
  (func $empty (loop $l (br $l)))
  (func $work (loop $l
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
    (br $l)))
  (func $calls (loop $l (call $nothing) (br $l)))
  (func $indirect (loop $l (call_indirect (type $void) (i32.const 0)) (br $l)))
  (func $conditional (local $i i32)
    (loop $l
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br_if $l (local.get $i))
      (br $l)))
  (func $switch (local $i i32)
    (loop $l
      (block $a (block $b (block $c
        (br_table $a $b $c $l (i32.and (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 3))))))
      (br $l)))
  ;; no loop at all: two calls at each of 60 levels
  (func $tree (param $d i32)
    (if (local.get $d)
      (then
        (call $tree (i32.sub (local.get $d) (i32.const 1)))
        (call $tree (i32.sub (local.get $d) (i32.const 1))))))
  (func $nested (local $i i32)
    (loop $outer
      (local.set $i (i32.const 3))
      (loop $inner
        (global.set $g (i32.add (global.get $g) (i32.const 1)))
        (br_if $inner (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
      (br $outer)))
  (func $pages (loop $l (drop (memory.grow (i32.const 0))) (br $l)))
  (func (export "run") (param i32 i32) (result i64)
    (block $0 (block $1 (block $2 (block $3 (block $4 (block $5 (block $6 (block $7 (block $8
      (br_table $0 $1 $2 $3 $4 $5 $6 $7 $8 (local.get 1)))
      (call $pages) (return (i64.const 8)))
      (call $nested) (return (i64.const 7)))
      (call $tree (i32.const 60)) (return (i64.const 6)))
      (call $switch) (return (i64.const 5)))
      (call $conditional) (return (i64.const 4)))
      (call $indirect) (return (i64.const 3)))
      (call $calls) (return (i64.const 2)))
      (call $work) (return (i64.const 1)))
    (call $empty)
    (i64.const 0)))

;; run carries a NaN, whose bits engines choose differently, by every road to
;; every place where an integer could see them. 16 results of 8 bytes from 1024.
(module
  (memory (export "memory") 1)
  (type $unary (func (param f64) (result f64)))
  (table 1 funcref)
  (elem (i32.const 0) $through)
  (global $g (mut f64) (f64.const 0))
  (global $h (mut f32) (f32.const 0))
  (data (i32.const 0) "\ef\be\00\00\00\00\f8\7f\de\bc\0a\00\00\00\f8\ff") ;; two NaNs
  (data (i32.const 16) "\ad\de\c0\7f\fe\ca\c0\ff")                        ;; two of f32
  (data (i32.const 32) "\ad\de\c0\7f\fe\ca\c0\ff\ef\be\d0\7f\be\ba\d0\ff")
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func $nan (result f64) (f64.add (f64.load (i32.const 0)) (f64.load (i32.const 8))))
  (func $nan32 (result f32) (f32.mul (f32.load (i32.const 16)) (f32.load (i32.const 20))))
  (func $through (param f64) (result f64) (f64.neg (local.get 0)))
  (func $pair (result f64 f32) (call $nan) (call $nan32))
  (func (export "run") (param i32 i32) (result i64)
    (local $d f64) (local $v v128)
    ;; straight
    (i64.store (i32.const 1024) (i64.reinterpret_f64 (call $nan)))
    ;; a float store, read as an integer
    (f64.store (i32.const 1032) (call $nan))
    ;; local, global
    (local.set $d (call $nan))
    (global.set $g (local.get $d))
    (i64.store (i32.const 1040) (i64.reinterpret_f64 (global.get $g)))
    ;; parameter and result of an indirect call
    (f64.store (i32.const 1048) (call_indirect (type $unary) (call $nan) (i32.const 0)))
    ;; select, block result, conditional branch
    (f64.store (i32.const 1056) (select (call $nan) (f64.const 1) (local.get 1)))
    (f64.store (i32.const 1064) (block (result f64) (br_if 0 (call $nan) (i32.const 1))))
    (f64.store (i32.const 1072) (if (result f64) (local.get 1) (then (call $nan)) (else (f64.const 0))))
    ;; the sign, given to a number
    (f64.store (i32.const 1080) (f64.copysign (f64.const 1) (f64.neg (call $nan))))
    ;; narrowed, widened
    (f32.store (i32.const 1088) (f32.demote_f64 (call $nan)))
    (f64.store (i32.const 1096) (f64.promote_f32 (call $nan32)))
    ;; into a vector, and out of one
    (v128.store (i32.const 1104) (f64x2.splat (call $nan)))
    (local.set $v (f32x4.mul (v128.load (i32.const 32)) (f32x4.neg (v128.load (i32.const 16)))))
    (i64.store (i32.const 1120) (i64x2.extract_lane 0 (local.get $v)))
    (f32.store (i32.const 1128) (f32x4.extract_lane 1 (f32x4.add (local.get $v) (v128.load (i32.const 32)))))
    (i64.store32 (i32.const 1132) (i64x2.extract_lane 1 (f64x2.replace_lane 1 (local.get $v) (call $nan))))
    ;; two results at once
    (call $pair)
    (global.set $h)
    (f32.store offset=1136 (i32.const 0) (global.get $h))
    (local.set $d)
    (i32.store (i32.const 1140) (i32.wrap_i64 (i64.reinterpret_f64 (local.get $d))))
    ;; what a program stored itself is copied as it is
    (f64.store (i32.const 1144) (f64.load (i32.const 0)))
    (i64.or (i64.shl (i64.const 1024) (i64.const 32)) (i64.const 128))))

# Writes recurse_wide.wat: recursion with the widest frames, chosen by run(_, n).
N, W = 1000, 900


def each(form, n=N):
    return " ".join(form.format(i=i, at=8 * (i % 500), vat=16 * (i % 250)) for i in range(n))


COUNT = "(i32.store (i32.const 8192) (i32.add (i32.load (i32.const 8192)) (i32.const 1)))"
print(f""";; run(_, n) recurses without end with the widest frames, and counts the calls at
;; address 8192. Written by recurse_wide.py.
(module
  (memory (export "memory") 1)
  (func (export "alloc") (param i32) (result i32) (i32.const 1024))
  (func $locals (local {each("i64")})
    {COUNT}
    {each("(local.set {i} (i64.load (i32.const {at})))")}
    (call $locals)
    {each("(i64.store (i32.const {at}) (local.get {i}))")})
  (func $params (param {each("i64", W)})
    {COUNT}
    {each("(i64.add (local.get {i}) (i64.const {i}))", W)}
    (call $params))
  (func $results (result {each("i64", W)}) {COUNT} (call $results))
  (func $operands
    {COUNT}
    {each("(i64.load (i32.const {at}))", W)}
    (call $operands)
    {each("i64.add", W - 1)} (drop))
  (func $vectors (local {each("v128", W)})
    {COUNT}
    {each("(local.set {i} (v128.load (i32.const {vat})))", W)}
    (call $vectors)
    {each("(v128.store (i32.const {vat}) (local.get {i}))", W)})
  (func (export "run") (param i32 i32) (result i64)
    (block $0 (block $1 (block $2 (block $3 (block $4
      (br_table $0 $1 $2 $3 $4 (local.get 1)))
      (call $vectors) (return (i64.const 4)))
      (call $operands) (return (i64.const 3)))
      (call $results) {each("(drop)", W)} (return (i64.const 2)))
      {each("(i64.const {i})", W)} (call $params) (return (i64.const 1)))
    (call $locals)
    (i64.const 0)))""")

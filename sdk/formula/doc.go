// Package formula compiles formulas to programs: a text such as
// 4*(x*x+y*y<1) becomes a WebAssembly module with the interface of any program,
// which is then admitted, metered and named by its bytes like anyone's.
//
// # The language
//
//	formula    = { name "=" expression ";" } expression
//	expression = or [ "?" expression ":" expression ]
//	or         = and { "||" and }
//	and        = comparison { "&&" comparison }
//	comparison = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
//	sum        = product { ( "+" | "-" ) product }
//	product    = unary { ( "*" | "/" | "%" ) unary }
//	unary      = ( "-" | "+" | "!" ) unary | power
//	power      = primary [ "^" unary ]
//	primary    = number | name | name "(" [ expression { "," expression } ] ")" | "(" expression ")"
//
// Every value is a float64. A comparison is 1 or 0; what is neither 0 nor NaN
// counts as true. No operation traps. docs/job-file.md lists the functions.
//
// # How
//
// The frame around a formula and the functions that it calls are built once,
// from wasm/programs/formula, and are here as pieces (template_gen.go). The
// compiler reads a text once, from left to right, and writes the instructions of
// one function, row, as it goes: the order of a stack machine is the order of
// the grammar. link.go puts the pieces around it. Nothing but the formula, the
// names and their order goes into the bytes.
package formula

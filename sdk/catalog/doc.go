// Package catalog lists what a job can name: programs, splits and combines.
//
// An entry is content. It holds everything that the rest of Shoal needs to know
// of a program: what it is called, which bytes it has, its params in order, what
// its results are called, what it can be split by. No other package treats a
// program by its name, and a user's entry is worth as much as a built-in one.
//
// The catalog holds program ids, never program bytes. The bytes of the built-in
// programs are in package shoal/wasm/programs.
package catalog

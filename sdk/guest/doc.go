// Package guest admits programs: it decodes a WebAssembly module, validates it,
// refuses what a program may not have, and rewrites the rest so that every
// engine gives the same bytes, the same units and the same end.
//
// A program is core WebAssembly 2.0 without imports. It exports memory,
// alloc (i32)->i32 and run (i32,i32)->i64, and may export _initialize ()->().
// The pass is bounded: time and memory are proportional to the module, whose
// size, counts, nesting, operands and locals have limits (limits.go).
//
// # What the host does
//
//  1. It instantiates Admitted.Bytes without imports and sets shoal:gas to the
//     limit, between 0 and GasUnset, before the first call.
//  2. It calls shoal:start if there is such an export, then _initialize if
//     there is, then alloc and run.
//  3. After a return the gas is 0 or more, and the units are limit − gas.
//  4. After a trap it reads shoal:stop. StopGas and StopStack are outcomes of
//     the program, as is a trap with StopNone. The units of StopGas are the
//     limit; those of the others are limit − gas, the same on every engine,
//     and may leave out the loop in which the trap happened. StopMemory is no outcome, and neither is whatever the engine
//     raises on its own account: its stack overflow (a RangeError in a
//     browser), memory it cannot reserve, time that ran out.
//  5. An instance that trapped is thrown away. Its gas and stack are not
//     settled.
//
// # Gas
//
// Every basic block charges the sum of its instructions before it runs:
//
//	0    block, loop, else, end, nop
//	1    constants, locals, drop, select, comparison, integer arithmetic
//	     but division, float abs, neg, copysign, add, sub, mul, min, max,
//	     rounding, reinterpretation, ref.null, ref.is_null
//	1    br, br_if, if, return, unreachable
//	2    load, store, global.get, global.set, conversions of floats
//	2    v128: integers, bits, lanes, constants
//	3    v128: load, store
//	4    v128: float arithmetic but division and root
//	4    br_table, memory.size, table.get, table.set, table.size, ref.func
//	6    call
//	8    v128: popcnt, byte shifts, i64x2.mul
//	10   division and remainder, float division, square root
//	12   call_indirect
//	16   memory and table fill, copy, init, data.drop, elem.drop
//	20   v128: division, square root
//	256  memory.grow, table.grow
//
// A function charges 1 more as it is entered, and 1 for each 8 cells of locals
// it has to clear. Bulk operations charge for their length before they run: 1
// for each 8 bytes, 1 for each table element, 8,192 for each page grown, 4 for
// each table element grown.
//
// The charge is subtracted everywhere and checked at function entries, at the
// heads of loops, after charges for a length, and before a function returns to
// the host. The code between two checks is straight, so the gas runs out at the
// same place on every engine, and cannot wrap (gas.go).
//
// # Frame charge
//
// A call charges its frame in cells: 8, its locals and the pass's own, its
// highest operand stack, and once more its parameters and results; a v128 is
// two cells. The frame is given back on every way out; a trap needs none. A
// small function that calls nothing is not charged. DefaultStackCells ends
// recursion well below the depth and the bytes at which the smallest engine
// would, so that it ends at the same call everywhere.
//
// # Growth
//
// The policy's maximum is written into a memory or table that declares none or
// more. Growth beyond the maximum gives −1 before the engine is asked. Growth
// within it is charged; if the engine refuses, StopMemory ends the attempt.
//
// # NaN
//
// An engine chooses the sign and payload of a NaN that arithmetic makes. The
// pass keeps that choice from anything but other floats. Call a value settled
// if all engines agree on its bits. The claim is that every integer, reference
// and vector, every byte of memory and every table is settled, and that a
// scalar float is settled unless it is a NaN. By induction over the steps of a
// run:
//
//   - All engines agree on arithmetic but for NaN bits, and each float operation
//     gives a NaN for the same inputs everywhere.
//   - Integers made from floats are comparisons and truncations, which do not
//     depend on a NaN's bits (truncation traps or gives 0), and reinterpretation,
//     whose operand is canonicalised first.
//   - Memory bytes come from stores. A stored scalar float is canonicalised
//     first. Copies, fills and integer stores move settled bytes.
//   - A number's sign can come from a NaN through copysign only, whose second
//     operand is canonicalised first. abs and neg of a NaN give a NaN.
//   - Vectors are seen by integer instructions, so they are settled one by one:
//     a scalar that enters a lane is canonicalised, and so is the result of
//     every vector instruction that makes NaNs. That is put off while the next
//     instruction reads the vector as float lanes of the same width, because it
//     can only compare them, truncate them, or make another NaN of them.
//   - Locals, globals, parameters, results, select and branches move values and
//     look at none. Control depends on integers alone.
//   - alloc and run pass integers, so no float leaves the module. The bits of a
//     float global may differ, and no host may hash them.
//
// A scalar that is known to be settled (a constant, a load, a conversion of an
// integer, a lane) is left alone, so that copying memory through f64.load and
// f64.store keeps a payload. Otherwise a NaN that a program builds with a
// payload of its own loses it where it becomes an integer: the rewriting is
// visible to a program that boxes values in NaNs.
package guest

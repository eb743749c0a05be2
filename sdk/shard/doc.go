// Package shard executes a range of a job's items on one fresh instance of the
// job's program, and turns what happens into an Answer.
//
// An Answer is a function of the task alone: every engine, and every host that
// does not fail, gives the same outcome, the same units and the same bytes. The
// exception is OutcomeHost, which says that this host could not finish.
//
// # Order of events
//
// A fresh instance is made and its gas is set to the manifest's limit. The
// program's own start function and _initialize run first, if it has them. Then
// for each run of RunItems consecutive items: alloc gives room for the frame,
// the frame is written there, run is called, and the rows it points to are
// checked, copied out, their NaNs made canonical, and folded. Whatever the
// program does wrong ends the shard with an outcome.
//
// # Frame
//
// Little-endian, one contiguous piece at a multiple of 8 if the program's alloc
// aligns to 8:
//
//	 0  u32  magic 0x314c4853, "SHL1"
//	 4  u32  version of the frame, 1
//	 8  u64  number of the first item, counted over the whole job
//	16  u32  items in this run
//	20  u32  params p
//	24  u32  keys k
//	28  u32  columns c
//	32  u32  inputs m
//	36  u32  reserved, 0
//	40  k × { u32, u32 }   Philox keys of the streams 0 … k−1
//	    p × f64            params, in the order of the work
//	    items × c × f64    columns, item by item
//	    m × { u32, u32 }   for each input its offset and length in bytes
//	                       the inputs' bytes, each padded to a multiple of 8
//
// The inputs are those of the work and then, of records that are pieces of text,
// that of each item. Texts that would fill more than half of the memory shorten
// the run.
//
// run returns the place of its rows as ptr<<32 | len, where len is exactly
// items × outputs × 8: for each item its outputs, as f64. A work may say that its
// program returns f32, i64 or bytes instead; docs/program-abi.md has these shapes.
package shard

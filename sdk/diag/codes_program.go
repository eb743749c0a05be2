package diag

var programCodes = []Code{
	{"program/malformed", "the program is not a WebAssembly module", "build it again, and check that the whole file arrived"},
	{"program/invalid", "the program is no valid WebAssembly", "build it again with a current compiler, and run wasm-validate on it"},
	{"program/import", "the program imports something", "programs have no imports: take what it needs from the input frame, or link it into the module"},
	{"program/threads", "the program uses threads", "build it without threads, atomics and shared memory"},
	{"program/memory64", "the program uses 64-bit memory", "build it for wasm32"},
	{"program/relaxed-simd", "the program uses relaxed SIMD", "build it without -mrelaxed-simd: its results differ between processors"},
	{"program/unsupported", "the program uses a WebAssembly feature outside core 2.0", "switch the feature off in the compiler"},
	{"program/missing-export", "the program lacks an export", "export memory, alloc and run; a reducer exports memory, alloc, init, fold and finish: docs/program-abi.md"},
	{"program/wrong-export", "an export of the program has the wrong type", "export memory, alloc and run as docs/program-abi.md says"},
	{"program/reserved-export", "the program exports a reserved name", "rename the export: names that begin with shoal: are ours"},
	{"program/memory-too-large", "the program's memory starts too large", "declare a smaller initial memory, or raise the job's memory limit"},
	{"program/table-too-large", "a table of the program starts too large", "declare a smaller table"},
	{"program/too-large", "the program is too large", "strip it, split it, or compile it for size"},
	{"program/too-complex", "a function of the program is too complex", "split the function, or compile with optimisation"},
	{"program/reducer-failed", "the reducer of the job failed", "correct the reducer, or raise limits.gas if that is what it ran out of; the results of the shards are as good as before"},
}

package guest

// Defaults of Policy.
const (
	// DefaultMaxPages is 128 MiB: what a phone's browser tab grants to each of
	// several workers without being killed.
	DefaultMaxPages = 2048
	// DefaultMaxTableElems holds the function table of any program below
	// maxFunctions; an engine spends up to 24 bytes an element, so 3 MiB.
	DefaultMaxTableElems = 1 << 17
	// DefaultStackCells ends recursion after 1,638 of the smallest frames. The
	// wazero interpreter gives up at 2,000 frames, whatever their size, and the
	// runner, a leaf and a generated function need some of them. In bytes it
	// is 128 KiB where an engine spends 8 bytes a cell, and 256 KiB in WebKit's
	// interpreter, which spends 16: half of what Safari gives a worker.
	DefaultStackCells = 1 << 14
)

// Limits of what is decoded at all. Each bounds time or memory of this pass, or
// is what browsers accept, so that a program admitted here compiles everywhere.
const (
	// maxModuleBytes: a tab holds the program, its rewritten form and the
	// compiled code at once.
	maxModuleBytes = 16 << 20
	// maxModuleBytesOut bounds the rewritten form; measured growth is 1.2 to
	// 1.6, and a module of nothing but vector arithmetic could reach 12.
	maxModuleBytesOut = 64 << 20
	// maxBodyBytes is the browsers' limit for one function body, and so holds
	// before and after the rewriting.
	maxBodyBytes = 7_654_321
	// maxFunctions: the 16 MiB of code that fit have about 50,000.
	maxFunctions = 100_000
	// maxTypes: function types are deduplicated by every toolchain; 60 are
	// usual.
	maxTypes = 1 << 16
	// maxArity is the browsers' limit for the parameters, and for the results,
	// of a function type.
	maxArity = 1000
	// maxLocals is what fits twice into DefaultStackCells; a body that declares
	// more could hardly be called. Compilers of big interpreters reach a
	// thousand.
	maxLocals = 8_000
	// maxOperands bounds the operand stack for the same reason.
	maxOperands = 8_000
	// maxNesting: Go nests one block for each resume point of a function, some
	// thousands in generated code.
	maxNesting = 20_000
	// maxBranchTable is the number of labels that V8 accepts.
	maxBranchTable = 65_520
	// maxGlobals, maxExports: far above use; a global costs the engine some
	// dozen bytes.
	maxGlobals = 100_000
	maxExports = 100_000
	// maxTables: each may have MaxTableElems elements.
	maxTables = 16
	// maxSegments is the browsers' limit for data segments; element segments
	// get the same.
	maxSegments = 100_000
	// maxImports bounds the imports that are replaced inside the module.
	maxImports = 64

	maxPagesOfWasm32  = 1 << 16
	maxTableOfEngines = 10_000_000 // the browsers' limit
	maxStackCells     = 1 << 30    // charges stay far from the sign bit
)

// Work on lists of types (calls, blocks and branches with many parameters) is
// not bounded by the instruction's own size. workPerByte times the module's
// size, plus workFree, is far more than any compiler's output needs; a few
// kilobytes of hostile blocks with a thousand results each are stopped by it.
const (
	workPerByte = 64
	workFree    = 1 << 20
)

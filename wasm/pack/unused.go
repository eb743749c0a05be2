package main

import (
	"encoding/binary"
	"regexp"
)

// unused are functions of Go's runtime that a peer module never reaches: the
// execution tracer and the profilers, which nothing here starts and whose
// exported switches are not linked; what GODEBUG asks for, since a peer has no
// environment; tracebacks through C; and the bubbles of testing/synctest. They
// are called behind conditions that stay false, so the linker keeps them.
var unused = regexp.MustCompile(`^runtime\.(` +
	`\(?\*?(trace(Writer|Locker|Map|StringTable|RegionAlloc|TypeTable|ExpWriter|EventWriter|BufQueue|SchedResourceState)|profBuf|hexdumper|synctestBubble)\)?\..*|` +
	`trace(Advance|ReadCPU|SyncBatch|Stack|BufFlush|StopReadCPU|StartReadCPU|Frequency|RegisterLabelsAndReasons|SnapshotMemory|CPU[A-Z]\w*|Stop\w*)(\.func\d+)*|` +
	`makeTraceFrames|makeTraceFrame|dumpStacksRec|dumpTypesRec|` +
	`schedtrace(\.func\d+)*|printScavTrace|dumpScanStats|gcDumpObject|` +
	`checkFinalizersAndCleanups(\.func\d+)*|setCheckmark|` +
	`printAncestorTraceback\w*|` +
	`print(One)?CgoTraceback(\.func\d+)*|expandCgoFrames|cgoContextPCs|callCgoSymbolizer|` +
	`saveblockevent|blockevent|` +
	`doRecordGoroutineProfile(\.func\d+)*|tryRecordGoroutineProfile\w*|findGoroutineLeaks|hexdumpWords(\.func\d+)*|tracebackHexdump(\.func\d+)*` +
	`)$`)

// worthIt is how long a body must be to be dropped. Short ones ask for a
// condition, and are called on the way to finding it false.
const worthIt = 120

// emptyBody is a function without locals that traps.
var emptyBody = []byte{0, 0x00, 0x0b}

// dropUnused gives the functions that are never reached a body that traps. Their
// numbers, types and entries in the tables stay, so nothing else changes.
func dropUnused(code []byte, names []string) ([]byte, error) {
	r := reader{b: code}
	count := r.uint()
	if r.bad || count != len(names) {
		return nil, fail("the code has another number of functions than the table")
	}
	out := binary.AppendUvarint(nil, uint64(count))
	for _, name := range names {
		body := r.bytes(r.uint())
		if r.bad {
			return nil, errModule
		}
		if len(body) > worthIt && unused.MatchString(name) {
			body = emptyBody
		}
		out = binary.AppendUvarint(out, uint64(len(body)))
		out = append(out, body...)
	}
	if len(r.b) > 0 {
		return nil, errModule
	}
	return out, nil
}

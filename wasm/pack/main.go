// Command pack makes the peer module smaller for the way to a page, without
// changing what it does.
//
//	go run ./wasm/pack in.wasm out.wasm
//
// It does two things that the Go linker has no option for:
//
//   - The linker cuts the initial memory into tens of thousands of data segments
//     wherever there are eight zero bytes. pack writes them as one segment per
//     stretch, which compresses better than the cuts save.
//   - The tables that map program counters to files and lines serve tracebacks
//     alone. pack clears them and keeps everything that the garbage collector and
//     the stack need, and the functions' names, so that a panic still says where.
//
// The runtime reads a table at offset 0 as absent, which is what pack writes into
// the functions' records; see runtime.pcvalue. Any layout that pack does not know
// is an error: a new Go release has to be looked at, not guessed at.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: pack in.wasm out.wasm")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(in, out string) error {
	module, err := os.ReadFile(in)
	if err != nil {
		return err
	}
	packed, err := Pack(module)
	if err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return os.WriteFile(out, packed, 0o644)
}

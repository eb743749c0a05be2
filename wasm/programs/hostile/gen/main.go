// Command gen builds the hostile modules: those with a .wat file by wat2wasm,
// and byte by byte those that no assembler would write.
//
//	go run ./wasm/programs/hostile/gen SOURCES OUT
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen SOURCES OUT")
		os.Exit(2)
	}
	if err := build(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func build(sources, out string) error {
	texts, err := filepath.Glob(filepath.Join(sources, "*.wat"))
	if err != nil {
		return err
	}
	for _, text := range texts {
		name := strings.TrimSuffix(filepath.Base(text), ".wat")
		cmd := exec.Command("wat2wasm", "--enable-all", text, "-o", filepath.Join(out, name+".wasm"))
		if b, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, b)
		}
	}
	for name, b := range encoded() {
		if err := os.WriteFile(filepath.Join(out, name+".wasm"), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Sections of a module with one page of memory, alloc and run.
const (
	magic   = "\x00asm"
	version = "\x01\x00\x00\x00"
	types   = "\x01\x0c\x02" + "\x60\x01\x7f\x01\x7f" + "\x60\x02\x7f\x7f\x01\x7e"
	funcs   = "\x03\x03\x02\x00\x01"
	memory  = "\x05\x03\x01\x00\x01"
	exports = "\x07\x18\x03" + "\x06memory\x02\x00" + "\x05alloc\x00\x00" + "\x03run\x00\x01"
	before  = magic + version + types + funcs + memory + exports

	allocBody = "\x05\x00\x41\x80\x08\x0b" // i32.const 1024
	noLocals  = "\x00"
	trap      = "\x00"
	end       = "\x0b"
)

// code returns the code section of alloc and a run with the given body.
func code(run string) string {
	s := "\x02" + allocBody + string(rune(len(run))) + run
	return "\x0a" + string(rune(len(s))) + s
}

func encoded() map[string][]byte {
	const billions = "\x80\x80\x80\x80\x0f" // 15 × 2^28
	whole := before + code(noLocals+trap+end)
	modules := map[string]string{
		"empty":          "",
		"text":           "(module)\n",
		"future-version": magic + "\x02\x00\x00\x00" + whole[8:],
		"truncated":      whole[:len(whole)-2],
		"trailing-bytes": whole + "\xff",
		// f64.const 0, where run returns an i64.
		"type-mismatch": before + code(noLocals+"\x44\x00\x00\x00\x00\x00\x00\x00\x00"+end),
		// 0x27 lies between the table and the memory instructions.
		"unknown-opcode": before + code(noLocals+"\x27"+trap+end),
		// One run of locals of type i64.
		"too-many-locals": before + code("\x01"+billions+"\x7e"+trap+end),
		"body-too-long":   before + "\x0a\x10\x02" + allocBody + billions + noLocals + trap + end + end,
	}
	out := make(map[string][]byte, len(modules))
	for name, s := range modules {
		out[name] = []byte(s)
	}
	return out
}

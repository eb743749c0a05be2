// Command gen writes the codec of package wire from its declarations: the Go
// half, the TypeScript half for what is marked //wire:ts, and the reference
// page. The same declarations always give the same bytes.
//
// With -samples it does the same for the declarations in sample_test.go, which
// cover everything that a declaration can hold, for the codec's own tests.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	samples := flag.Bool("samples", false, "generate for sample_test.go")
	flag.Parse()
	if err := run(".", *samples); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run generates for the package in dir and removes what it no longer needs.
func run(dir string, samples bool) error {
	files, err := generate(dir, samples)
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*_gen.go"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if text, err := os.ReadFile(name); !samples && files[name] == nil && err == nil && bytes.HasPrefix(text, []byte(header)) {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	for name, text := range files {
		if was, err := os.ReadFile(name); err == nil && bytes.Equal(was, text) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the files to write, by path.
func generate(dir string, samples bool) (map[string][]byte, error) {
	isSample := func(file string) bool { return strings.HasSuffix(file, "sample_test.go") }
	use, keep := isSource, isSource
	if samples {
		use = func(file string) bool { return isSource(file) || isSample(file) }
		keep = isSample
	}
	s, err := load(dir, use, keep)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	code, err := goFiles(s)
	if err != nil {
		return nil, err
	}
	for name, text := range code {
		out[filepath.Join(dir, name)] = text
	}
	top := filepath.Join(dir, "..", "..")
	table, tableFile := "messages", "codecs_gen_test.go"
	if samples {
		table, tableFile = "samples", "sample_codecs_gen_test.go"
	}
	if out[filepath.Join(dir, tableFile)], err = testTable(s, table); err != nil {
		return nil, err
	}
	if samples {
		out[filepath.Join(top, "js", "test", "sample.gen.ts")] = tsFile(s, "../src/cbor.js")
		return out, nil
	}
	out[filepath.Join(top, "js", "src", "wire.gen.ts")] = tsFile(s, "./cbor.js")
	out[filepath.Join(top, "docs", "wire.md")] = page(s)
	return out, nil
}

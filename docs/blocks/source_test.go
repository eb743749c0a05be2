package blocks

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"shoal/js/e2e/site"
)

// source holds a source to be built by the page, or where it is only a part of
// one, to be what the compiler takes.
func (s *scratch) source(b *block) {
	around, part := b.marks["inside"]
	_, inErrors := s.doc.inErrors()
	if b.has("file") && !part {
		at := slices.Index(s.doc.blocks, b)
		name := b.marks["file"]
		if b.lang == "go" {
			name = "go build" // of the folder that it is in
		}
		for _, later := range s.doc.blocks[at+1:] {
			if later.lang == "sh" && (strings.Contains(later.text, name) || strings.Contains(later.text, strings.TrimSuffix(filepath.Base(name), filepath.Ext(name)))) {
				return
			}
		}
		s.failed(b, "no later command of the page builds it", nil)
		return
	}
	if !part && !inErrors {
		s.failed(b, "a source that is no file of the page", nil)
		return
	}
	if around == "" {
		around = "…"
	}
	text := strings.Replace(strings.ReplaceAll(around, `\n`, "\n"), "…", b.text, 1)
	name := fmt.Sprintf("part-%d.%s", b.line, b.lang)
	abi := filepath.Join(site.Root(s.t), "wasm", "programs", "abi")
	switch b.lang {
	case "c":
		s.write(name, "#include \"shoal.h\"\n"+text)
		s.judge(b, s.run(b, "clang-19", "--target=wasm32", "-std=c17", "-msimd128", "-ffreestanding", "-fsyntax-only", "-Wall", "-Wno-unused", "-I", abi, name))
	case "wat":
		s.write(name, text)
		s.judge(b, s.run(b, "wat2wasm", name, "-o", name+".wasm"))
	default:
		s.failed(b, "nothing checks a part of a source in "+b.lang, nil)
	}
}

// typescript checks a block and runs what it becomes.
func (s *scratch) typescript(b *block) {
	if !b.has("goes on") {
		s.js = nil
	}
	s.js = append(s.js, b.text)
	for _, next := range s.doc.blocks[slices.Index(s.doc.blocks, b)+1:] {
		if next.lang == b.lang {
			if next.has("goes on") {
				return
			}
			break
		}
	}
	name := fmt.Sprintf("block-%d.mts", b.line)
	s.write(name, joined(s.js))
	o := s.run(b, filepath.Join(site.Root(s.t), "js", "node_modules", ".bin", "tsc"), "--ignoreConfig", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2023,dom,dom.asynciterable", "--module", "nodenext", "--types", "node", name)
	if o.err != nil {
		s.failed(b, o.err.Error(), o)
		return
	}
	s.judge(b, s.run(b, "bash", "-euc", fmt.Sprintf("esbuild --log-level=error %s --outfile=%s.mjs && node %s.mjs", name, name, name)))
}

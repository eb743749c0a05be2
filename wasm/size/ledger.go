package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// The sections of a module that are read here.
const (
	sectionCustom = 0
	sectionImport = 2
	sectionCode   = 10
	sectionData   = 11
)

var errModule = errors.New("not a WebAssembly module")

// sections calls f for each section.
func sections(module []byte, f func(id byte, body []byte) error) error {
	if !bytes.HasPrefix(module, []byte("\x00asm\x01\x00\x00\x00")) {
		return errModule
	}
	for rest := module[8:]; len(rest) > 0; {
		n, used := binary.Uvarint(rest[1:])
		if used <= 0 || n > uint64(len(rest)-1-used) {
			return errModule
		}
		body := rest[1+used:][:n]
		if err := f(rest[0], body); err != nil {
			return err
		}
		rest = rest[1+used+int(n):]
	}
	return nil
}

// reader takes numbers and strings from a section, and zeros after its end.
type reader struct{ b []byte }

func (r *reader) uint() int {
	n, used := binary.Uvarint(r.b)
	if used <= 0 || n > 1<<31 {
		r.b = nil
		return 0
	}
	r.b = r.b[used:]
	return int(n)
}

func (r *reader) bytes(n int) []byte {
	n = min(n, len(r.b))
	p := r.b[:n]
	r.b = r.b[n:]
	return p
}

func (r *reader) name() string { return string(r.bytes(r.uint())) }

// importCount returns the number of functions that a module imports.
func importCount(module []byte) (n int, err error) {
	err = sections(module, func(id byte, body []byte) error {
		if id == sectionImport {
			r := reader{body}
			n = r.uint()
		}
		return nil
	})
	return n, err
}

// account says where a module's bytes are.
type account struct {
	packages map[string]*entry
	code     int
	data     int
}

type entry struct {
	name      string
	functions int
	code      int
}

// ledger sums the code of a module that has symbols by package. Data cannot be
// attributed: the linker merges it.
func ledger(module []byte) (*account, error) {
	a := &account{packages: map[string]*entry{}}
	var sizes []int
	names := map[int]string{}
	imports, err := importCount(module)
	if err != nil {
		return nil, err
	}
	err = sections(module, func(id byte, body []byte) error {
		r := reader{body}
		switch id {
		case sectionCode:
			a.code = len(body)
			for range r.uint() {
				n := r.uint()
				r.bytes(n)
				sizes = append(sizes, n)
			}
		case sectionData:
			a.data = len(body)
		case sectionCustom:
			if r.name() == "name" {
				readNames(&r, names)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("the module has no symbols")
	}
	for i, size := range sizes {
		p := packageOf(names[imports+i])
		e := a.packages[p]
		if e == nil {
			e = &entry{name: p}
			a.packages[p] = e
		}
		e.functions++
		e.code += size
	}
	return a, nil
}

// readNames reads the function names of a name section.
func readNames(r *reader, names map[int]string) {
	const functionNames = 1
	for len(r.b) > 0 {
		kind := r.uint()
		sub := reader{r.bytes(r.uint())}
		if kind != functionNames {
			continue
		}
		for range sub.uint() {
			i := sub.uint()
			names[i] = sub.name()
		}
	}
}

// packageOf returns the package of a symbol. The linker writes "shoal/sdk/fold"
// as shoal_sdk_fold and names the comparisons of types "type_.eq.…".
func packageOf(symbol string) string {
	if strings.HasPrefix(symbol, "type_") {
		return "(comparisons)"
	}
	name, _, ok := strings.Cut(symbol, ".")
	if !ok {
		return "(runtime)"
	}
	return name
}

// write lists the largest packages.
func (a *account) write(w io.Writer, top int) {
	var list []*entry
	for _, e := range a.packages {
		list = append(list, e)
	}
	slices.SortFunc(list, func(x, y *entry) int {
		return cmp.Or(cmp.Compare(y.code, x.code), strings.Compare(x.name, y.name))
	})
	fmt.Fprintf(w, "code %d bytes in %d packages, data %d bytes (before compression)\n", a.code, len(list), a.data)
	for i, e := range list {
		if i == top {
			break
		}
		fmt.Fprintf(w, "%9d  %4.1f %%  %5d functions  %s\n", e.code, 100*float64(e.code)/float64(a.code), e.functions, e.name)
	}
}

package main

import (
	"bytes"
	"encoding/binary"
)

// The layout of the function table of Go 1.20 to 1.26: pcHeader and _func in
// runtime/symtab.go and runtime/runtime2.go.
const (
	headerMagic = 0xfffffff1
	headerSize  = 72

	fieldFuncs = 8 // offsets in the header, of 8 bytes each
	fieldNames = 32
	fieldUnits = 40
	fieldPCTab = 56
	fieldFuncT = 64

	// Fields of a function's entry, of 4 bytes each.
	funcName    = 4
	funcPCSP    = 16
	funcPCFile  = 20
	funcPCLine  = 24
	funcNPCData = 28
	funcCU      = 32
	funcLine    = 36
	funcNData   = 43 // one byte
	funcFixed   = 44 // where the pcdata offsets begin, and after them those of the funcdata

	// What only other systems or traces read; see internal/abi/symtab.go.
	pcdataUnsafePoint   = 0 // where a signal must not preempt; WebAssembly has none
	funcdataArgInfo     = 5 // how a trace prints arguments
	funcdataArgLiveInfo = 6
	funcdataNone        = 0xffffffff
)

// image is memory as the segments make it. Between segments it is zero.
type image struct {
	segments []segment
	flat     []byte
	base     int
}

// stripLines removes what only signals and a trace with files, lines and arguments
// need: from every function's entry the references to such tables, and from the
// shared tables what nothing else refers to. Tables are byte strings that may be
// shared with those the garbage collector needs, so these are marked first. It
// returns the functions' names in the table's order, which is that of the code.
func stripLines(segments []segment) ([]string, error) {
	m := flatten(segments)
	at, err := m.header()
	if err != nil {
		return nil, err
	}
	count, units := m.u64(at+fieldFuncs), at+m.u64(at+fieldUnits)
	tab, funcs := at+m.u64(at+fieldPCTab), at+m.u64(at+fieldFuncT)
	if count <= 0 || count > 1<<20 || units <= at || tab < units || funcs <= tab || funcs+8*count > len(m.flat) {
		return nil, fail("the header's offsets do not fit")
	}
	texts := at + m.u64(at+fieldNames)
	names := make([]string, count)
	keep := make([]bool, funcs-tab)
	for i := range count {
		f := funcs + m.u32(funcs+8*i+4)
		if f+funcFixed > len(m.flat) {
			return nil, fail("a function's entry lies outside")
		}
		names[i] = m.text(texts + m.u32(f+funcName))
		pcdata, funcdata := f+funcFixed, f+funcFixed+4*m.u32(f+funcNPCData)
		if n := int(m.flat[f+funcNData]); funcdata < pcdata || funcdata > pcdata+4*16 || n > 16 || funcdata+4*n > len(m.flat) {
			return nil, fail("a function's entry has too many tables")
		}
		if funcdata > pcdata+4*pcdataUnsafePoint {
			clear(m.flat[pcdata+4*pcdataUnsafePoint:][:4])
		}
		for _, k := range [...]int{funcdataArgInfo, funcdataArgLiveInfo} {
			if k < int(m.flat[f+funcNData]) {
				binary.LittleEndian.PutUint32(m.flat[funcdata+4*k:], funcdataNone)
			}
		}
		used := []int{m.u32(f + funcPCSP)}
		for at := pcdata; at < funcdata; at += 4 {
			used = append(used, m.u32(at))
		}
		for _, t := range used {
			if t != 0 && !mark(m.flat[tab:funcs], keep, t) {
				return nil, fail("a table lies outside")
			}
		}
		for _, field := range [...]int{funcPCFile, funcPCLine, funcCU, funcLine} {
			clear(m.flat[f+field:][:4])
		}
	}
	if !m.shortenNames(texts, units, funcs, names) {
		return nil, fail("the names do not fit where they were")
	}
	clear(m.flat[units:tab]) // the names of files
	for i := range keep {
		if !keep[i] {
			m.flat[tab+i] = 0
		}
	}
	m.store()
	return names, nil
}

// mark keeps the table that begins at t: pairs of numbers in base 128, up to a
// first number of 0 that is not the very first.
func mark(tab []byte, keep []bool, t int) bool {
	for at := t; at < len(tab); {
		if tab[at] == 0 && at > t {
			keep[at] = true
			return true
		}
		for range 2 {
			for at < len(tab) && tab[at]&0x80 != 0 {
				keep[at] = true
				at++
			}
			if at == len(tab) {
				return false
			}
			keep[at] = true
			at++
		}
	}
	return false
}

func flatten(segments []segment) *image {
	last := segments[len(segments)-1]
	m := &image{segments: segments, base: segments[0].at}
	m.flat = make([]byte, last.at+len(last.data)-m.base)
	for _, s := range segments {
		copy(m.flat[s.at-m.base:], s.data)
	}
	return m
}

// store writes the image back into the segments.
func (m *image) store() {
	for _, s := range m.segments {
		copy(s.data, m.flat[s.at-m.base:])
	}
}

// header finds the one header of the function table.
func (m *image) header() (int, error) {
	magic := binary.LittleEndian.AppendUint32(nil, headerMagic)
	magic = append(magic, 0, 0, 1, 8) // padding, instruction size 1, pointers of 8 bytes
	found := -1
	for at := 0; ; {
		i := bytes.Index(m.flat[at:], magic)
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		if i+headerSize <= len(m.flat) && m.u64(i+32) == headerSize {
			if found >= 0 {
				return 0, fail("there are two headers")
			}
			found = i
		}
	}
	if found < 0 {
		return 0, fail("there is no header")
	}
	return found, nil
}

// text reads a text that ends with a zero.
func (m *image) text(at int) string {
	if at < 0 || at > len(m.flat) {
		return ""
	}
	s, _, _ := bytes.Cut(m.flat[at:], []byte{0})
	return string(s)
}

func (m *image) u32(at int) int {
	if at < 0 || at+4 > len(m.flat) {
		return 0
	}
	return int(binary.LittleEndian.Uint32(m.flat[at:]))
}

// u64 reads an offset; one that is absurd becomes one that is outside.
func (m *image) u64(at int) int {
	if at < 0 || at+8 > len(m.flat) {
		return 0
	}
	return int(min(binary.LittleEndian.Uint64(m.flat[at:]), 1<<31))
}

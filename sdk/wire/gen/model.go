package main

import "go/token"

// kind says how a type is encoded.
type kind int

const (
	kindUint kind = iota + 1
	kindInt
	kindBool
	kindText
	kindBytes
	kindFixed // [N]byte
	kindF64
	kindArray
	kindStruct
	kindPointer // to a struct
	kindUnion
)

// maxDepth is how deep the items of a message may nest. The types bound it, so
// decoders need not count.
const maxDepth = 16

// typ is the type of a field or of an array's elements.
type typ struct {
	kind kind
	name string // as Go spells it in the generated file
	pkg  string // import path that name needs, or ""

	bits   int  // kindUint and kindInt
	big    bool // 64-bit numbers that TypeScript reads as bigint
	named  bool // name is not the basic type
	enum   *enum
	length int // kindFixed
	most   int // the limit of kindText, kindBytes and kindArray
	elem   *typ
	strct  *strct
	union  *union
}

// enum is a named integer type whose values all have names.
type enum struct {
	name   string
	doc    string
	values []value
	ts     bool
}

type value struct {
	name string
	doc  string
	n    uint64
}

func (e *enum) lo() uint64 { return e.values[0].n }
func (e *enum) hi() uint64 { return e.values[len(e.values)-1].n }

type field struct {
	name string // in Go
	key  string
	doc  string
	omit bool
	typ  *typ
}

// enc returns the key as it is encoded. The schema keeps keys below 24 bytes.
func (f *field) enc() string { return string(rune(0x60+len(f.key))) + f.key }

// strct is a message: a map with the fields' keys in bytewise order.
type strct struct {
	name   string
	doc    string
	pos    token.Position
	fields []*field // in order of declaration
	cases  []unionCase
	ts     bool // TypeScript reads it
	root   bool // it is marked itself, rather than reached from what is
}

type unionCase struct {
	union string
	n     uint64
}

// sorted returns the fields in the order of their encoded keys.
func (s *strct) sorted() []*field {
	out := append([]*field(nil), s.fields...)
	for i := range out {
		for j := i; j > 0 && out[j].enc() < out[j-1].enc(); j-- {
			out[j], out[j-1] = out[j-1], out[j]
		}
	}
	return out
}

// union is one of several structs: a pair of the case's number and its map.
type union struct {
	name   string
	doc    string
	pos    token.Position
	marker string // the method that makes a struct a member
	cases  []*member
	ts     bool // as in strct
	root   bool
}

type member struct {
	n     uint64
	strct *strct
}

// schema is all that a package declares, in order of declaration.
type schema struct {
	name    string // of the package
	structs []*strct
	unions  []*union
	enums   []*enum
}

// least returns the size in bytes of the smallest encoding of a value. An array
// cannot claim more elements than the input has room for.
func (t *typ) least() int {
	switch t.kind {
	case kindFixed:
		if t.length < 24 {
			return 1 + t.length
		}
		return 2 + t.length
	case kindF64:
		return 9
	case kindStruct, kindPointer:
		n := 1
		for _, f := range t.strct.fields {
			if !f.omit {
				n += 1 + len(f.key) + f.typ.least()
			}
		}
		return n
	case kindUnion:
		return 3
	}
	return 1
}

// depth returns how deep the type nests, and false when it contains itself.
func (t *typ) depth(inside []*strct) (int, bool) {
	switch t.kind {
	case kindArray:
		n, ok := t.elem.depth(inside)
		return 1 + n, ok
	case kindStruct:
		return t.strct.depth(inside)
	case kindPointer: // takes a level of its own in the coder
		n, ok := t.strct.depth(inside)
		return 1 + n, ok
	case kindUnion:
		deepest := 0
		for _, m := range t.union.cases {
			n, ok := m.strct.depth(inside)
			if !ok {
				return 0, false
			}
			deepest = max(deepest, n)
		}
		return 1 + deepest, true
	}
	return 0, true
}

func (s *strct) depth(inside []*strct) (int, bool) {
	for _, outer := range inside {
		if outer == s {
			return 0, false
		}
	}
	deepest := 0
	for _, f := range s.fields {
		n, ok := f.typ.depth(append(inside, s))
		if !ok {
			return 0, false
		}
		deepest = max(deepest, n)
	}
	return 1 + deepest, true
}

// camel turns a Go name into a TypeScript one: JobID becomes jobId.
func camel(s string) string {
	upper := func(i int) bool { return i < len(s) && s[i] >= 'A' && s[i] <= 'Z' }
	lower := func(i int) bool { return i < len(s) && s[i] >= 'a' && s[i] <= 'z' }
	out := []byte(s)
	for i := range out {
		// Only a capital that begins a word after the first stays one.
		begins := i > 0 && (!upper(i-1) || lower(i+1))
		if upper(i) && !begins {
			out[i] += 'a' - 'A'
		}
	}
	return string(out)
}

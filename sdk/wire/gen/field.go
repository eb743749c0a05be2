package main

import (
	"fmt"
	"go/types"
	"strings"
)

// field reads a tag and a type: `cbor:"key,omitempty,max=n,each=n,big"`.
func (l *loader) field(f *field, tag string, t types.Type) error {
	words := strings.Split(tag, ",")
	f.key = words[0]
	if len(f.key) == 0 || len(f.key) > 23 {
		return fmt.Errorf("a key has 1 to 23 bytes")
	}
	for _, c := range f.key {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return fmt.Errorf("key %q is not letters and digits", f.key)
		}
	}
	var limits []int // of the field and, for arrays, of its elements
	var big bool
	for _, w := range words[1:] {
		name, text, _ := strings.Cut(w, "=")
		switch name {
		case "omitempty":
			f.omit = true
		case "big":
			big = true
		case "max", "each":
			n, err := l.limit(text)
			if err != nil {
				return err
			}
			if name == "each" && len(limits) == 0 {
				limits = append(limits, 0)
			}
			limits = append(limits, n)
		default:
			return fmt.Errorf("tag option %q", w)
		}
	}
	var err error
	if f.typ, err = l.typ(t, &limits); err != nil {
		return err
	}
	if len(limits) > 0 {
		return fmt.Errorf("a limit on a type of fixed size")
	}
	number := f.typ
	for number.kind == kindArray {
		number = number.elem
	}
	if number.big = big; big && number.bits != 64 {
		return fmt.Errorf("big is for 64-bit integers")
	}
	if f.typ.kind == kindPointer && !f.omit {
		return fmt.Errorf("a pointer is omitempty")
	}
	if f.typ.kind == kindStruct && f.omit {
		return fmt.Errorf("an optional struct is a pointer")
	}
	return nil
}

// typ describes a Go type, and takes from limits what it needs.
func (l *loader) typ(t types.Type, limits *[]int) (*typ, error) {
	out := &typ{name: types.TypeString(t, func(p *types.Package) string {
		if p == l.pkg {
			return ""
		}
		return p.Name()
	})}
	named, _ := t.(*types.Named)
	if named != nil {
		obj := named.Obj()
		out.named = true
		if obj.Pkg() != l.pkg {
			out.pkg = obj.Pkg().Path()
		} else {
			out.enum = l.enums[obj.Name()]
			out.strct = l.structs[obj.Name()]
			out.union = l.unions[obj.Name()]
		}
	}
	switch {
	case out.strct != nil:
		out.kind = kindStruct
		return out, nil
	case out.union != nil:
		out.kind = kindUnion
		return out, nil
	case named != nil && out.pkg == "" && named.Obj().Name() == "F64":
		out.kind = kindF64
		return out, nil
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return out, l.basic(out, u, limits)
	case *types.Array:
		if isByte(u.Elem()) && named != nil && u.Len() > 0 {
			out.kind, out.length = kindFixed, int(u.Len())
			return out, nil
		}
	case *types.Slice:
		if named != nil {
			break
		}
		if isByte(u.Elem()) {
			out.kind = kindBytes
			return out, l.take(out, limits, defaultBytes)
		}
		out.kind = kindArray
		if err := l.take(out, limits, defaultItems); err != nil {
			return nil, err
		}
		var err error
		if out.elem, err = l.typ(u.Elem(), limits); err == nil && out.elem.kind == kindPointer {
			err = fmt.Errorf("an array of pointers")
		}
		return out, err
	case *types.Pointer:
		elem, err := l.typ(u.Elem(), limits)
		if err == nil && elem.kind == kindStruct {
			out.kind, out.strct = kindPointer, elem.strct
			return out, nil
		}
	}
	return nil, fmt.Errorf("type %s has no encoding", t)
}

func (l *loader) basic(out *typ, b *types.Basic, limits *[]int) error {
	bits := map[types.BasicKind]int{
		types.Uint8: 8, types.Uint16: 16, types.Uint32: 32, types.Uint64: 64,
		types.Int8: 8, types.Int16: 16, types.Int32: 32, types.Int64: 64,
	}
	switch {
	case b.Kind() == types.Bool:
		out.kind = kindBool
	case b.Kind() == types.String:
		out.kind = kindText
		return l.take(out, limits, defaultText)
	case bits[b.Kind()] > 0:
		out.kind, out.bits = kindInt, bits[b.Kind()]
		if b.Info()&types.IsUnsigned != 0 {
			out.kind = kindUint
		}
		if out.enum != nil && b.Kind() != types.Uint8 {
			return fmt.Errorf("an enum is a uint8")
		}
	default:
		return fmt.Errorf("type %s has no encoding", b)
	}
	return nil
}

// take sets the limit of a type of variable length from the tag or by default.
func (l *loader) take(t *typ, limits *[]int, byDefault string) error {
	n := 0
	if len(*limits) > 0 {
		n, *limits = (*limits)[0], (*limits)[1:]
	}
	if n == 0 {
		var err error
		if n, err = l.limit(byDefault); err != nil {
			return err
		}
	}
	t.most = n
	return nil
}

func isByte(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

// spreadTS marks everything that a marked message or union reaches.
func (l *loader) spreadTS() {
	var mark func(s *strct)
	var markUnion func(u *union)
	markType := func(t *typ) {
		for t.kind == kindArray {
			t = t.elem
		}
		switch {
		case t.strct != nil:
			mark(t.strct)
		case t.union != nil:
			markUnion(t.union)
		case t.enum != nil:
			t.enum.ts = true
		}
	}
	mark = func(s *strct) {
		s.ts = true
		for _, f := range s.fields {
			markType(f.typ)
		}
	}
	markUnion = func(u *union) {
		u.ts = true
		for _, m := range u.cases {
			mark(m.strct)
		}
	}
	for _, s := range l.schema.structs {
		if s.ts {
			mark(s)
		}
	}
	for _, u := range l.schema.unions {
		if u.ts {
			markUnion(u)
		}
	}
}

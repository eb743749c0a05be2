package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// directives returns the words of each //wire: line of a comment.
func directives(doc *ast.CommentGroup) [][]string {
	var out [][]string
	if doc != nil {
		for _, c := range doc.List {
			if rest, ok := strings.CutPrefix(c.Text, "//wire:"); ok {
				out = append(out, strings.Fields(rest))
			}
		}
	}
	return out
}

// declare notes which types are unions, enums and messages.
func (l *loader) declare(s spec) error {
	name := s.Name.Name
	pos := l.fset.Position(s.Pos())
	doc := strings.TrimSpace(s.doc.Text())
	var ts, isUnion, isEnum bool
	var cases []unionCase
	for _, w := range directives(s.doc) {
		switch {
		case w[0] == "ts" && len(w) == 1:
			ts = true
		case w[0] == "union" && len(w) == 1:
			isUnion = true
		case w[0] == "enum" && len(w) == 1:
			isEnum = true
		case w[0] == "case" && len(w) == 3:
			n, err := strconv.ParseUint(w[2], 10, 16)
			if err != nil {
				return fmt.Errorf("case number %q", w[2])
			}
			cases = append(cases, unionCase{w[1], n})
		default:
			return fmt.Errorf("directive wire:%s", strings.Join(w, " "))
		}
	}
	switch t := s.Type.(type) {
	case *ast.InterfaceType:
		if !isUnion {
			break
		}
		if t.Methods.NumFields() != 1 || len(t.Methods.List[0].Names) != 1 {
			return fmt.Errorf("a union has one method")
		}
		u := &union{name: name, doc: doc, pos: pos, marker: t.Methods.List[0].Names[0].Name, ts: ts, root: ts}
		l.unions[name] = u
		l.schema.unions = append(l.schema.unions, u)
		return nil
	case *ast.StructType:
		if isUnion || isEnum || !ts && len(cases) == 0 && !hasTags(t) {
			break
		}
		m := &strct{name: name, doc: doc, pos: pos, cases: cases, ts: ts, root: ts}
		l.structs[name] = m
		l.schema.structs = append(l.schema.structs, m)
		return nil
	default:
		if isEnum && len(cases) == 0 {
			e := &enum{name: name, doc: doc, ts: ts}
			l.enums[name] = e
			l.schema.enums = append(l.schema.enums, e)
			return nil
		}
	}
	if ts || isUnion || isEnum || len(cases) > 0 {
		return fmt.Errorf("the directive does not fit the type")
	}
	return nil
}

func hasTags(t *ast.StructType) bool {
	for _, f := range t.Fields.List {
		if f.Tag != nil && strings.Contains(f.Tag.Value, "cbor:") {
			return true
		}
	}
	return false
}

// fill reads a struct's fields and joins it to its unions.
func (l *loader) fill(s spec) error {
	m := l.structs[s.Name.Name]
	if m == nil {
		return nil
	}
	for _, f := range s.Type.(*ast.StructType).Fields.List {
		if len(f.Names) != 1 || !f.Names[0].IsExported() || f.Tag == nil {
			return fmt.Errorf("each field is exported, tagged and on a line of its own")
		}
		name := f.Names[0].Name
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return err
		}
		fd := &field{name: name, doc: strings.TrimSpace(f.Doc.Text())}
		if fd.doc == "" {
			fd.doc = strings.TrimSpace(f.Comment.Text())
		}
		if err := l.field(fd, reflect.StructTag(tag).Get("cbor"), l.info.Types[f.Type].Type); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for _, other := range m.fields {
			if other.key == fd.key {
				return fmt.Errorf("%s: key %q is taken", name, fd.key)
			}
		}
		m.fields = append(m.fields, fd)
	}
	if len(m.fields) > 23 {
		return fmt.Errorf("more than 23 fields")
	}
	for _, c := range m.cases {
		u := l.unions[c.union]
		if u == nil {
			return fmt.Errorf("%s is not a union", c.union)
		}
		for _, other := range u.cases {
			if other.n == c.n {
				return fmt.Errorf("%s %d is %s", c.union, c.n, other.strct.name)
			}
		}
		u.cases = append(u.cases, &member{c.n, m})
	}
	return nil
}

// limit evaluates a limit: a number, or a constant of the package.
func (l *loader) limit(text string) (int, error) {
	if c, ok := l.pkg.Scope().Lookup(text).(*types.Const); ok {
		if n, exact := constant.Int64Val(constant.ToInt(c.Val())); exact && n > 0 {
			return int(n), nil
		}
	}
	n, err := strconv.ParseUint(text, 10, 40)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("limit %q", text)
	}
	return int(n), nil
}

// describeEnums collects the named values of each enum.
func (l *loader) describeEnums(files []*ast.File) {
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				doc := v.Doc.Text() + v.Comment.Text()
				for _, id := range v.Names {
					c, ok := l.info.Defs[id].(*types.Const)
					if !ok || id.Name == "_" {
						continue
					}
					t, ok := c.Type().(*types.Named)
					if !ok || l.enums[t.Obj().Name()] == nil || t.Obj().Pkg() != l.pkg {
						continue
					}
					if n, exact := constant.Uint64Val(c.Val()); exact {
						e := l.enums[t.Obj().Name()]
						e.values = append(e.values, value{id.Name, strings.TrimSpace(doc), n})
					}
				}
			}
		}
	}
}

// finish checks what only shows when everything is read.
func (l *loader) finish() error {
	for _, e := range l.schema.enums {
		if len(e.values) == 0 {
			return fmt.Errorf("%s: an enum without constants", e.name)
		}
		slices.SortStableFunc(e.values, func(a, b value) int { return int(a.n) - int(b.n) })
		for i, v := range e.values {
			if v.n != e.lo()+uint64(i) {
				return fmt.Errorf("%s: the values of an enum leave no gap and are distinct", e.name)
			}
		}
	}
	for _, u := range l.schema.unions {
		if len(u.cases) == 0 {
			return fmt.Errorf("%s: %s: a union without cases", u.pos, u.name)
		}
		slices.SortFunc(u.cases, func(a, b *member) int { return int(a.n) - int(b.n) })
	}
	for _, s := range l.schema.structs {
		n, ok := s.depth(nil)
		if !ok {
			return fmt.Errorf("%s: %s contains itself", s.pos, s.name)
		}
		if n+1 > maxDepth {
			return fmt.Errorf("%s: %s nests %d deep, over %d", s.pos, s.name, n, maxDepth)
		}
	}
	l.spreadTS()
	return nil
}

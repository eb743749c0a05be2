package main

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// tsFile returns the TypeScript module: types, and rules for the interpreter in
// the module called runtime. Only what is marked is exported as a schema.
func tsFile(s *schema, runtime string) []byte {
	g := &tsGen{done: map[string]bool{}}
	for _, e := range s.enums {
		if e.ts {
			g.enum(e)
		}
	}
	for _, u := range s.unions {
		if u.ts {
			g.unionType(u)
		}
	}
	for _, m := range s.structs {
		if m.ts {
			g.structType(m)
		}
	}
	for _, m := range s.structs {
		if m.ts {
			g.structRule(m)
		}
	}
	for _, u := range s.unions {
		if u.ts {
			g.unionRule(u)
		}
	}
	for _, m := range s.structs {
		if m.root {
			g.schema(m.name)
		}
	}
	for _, u := range s.unions {
		if u.root {
			g.schema(u.name)
		}
	}
	head := header + fmt.Sprintf("import type { Rule, Schema } from '%s';\n\n", runtime) + `const u8: Rule = [0, 0, 255];
const u16: Rule = [0, 0, 65535];
const u32: Rule = [0, 0, 4294967295];
const u53: Rule = [0, 0, Number.MAX_SAFE_INTEGER];
const i8: Rule = [0, -128, 127];
const i16: Rule = [0, -32768, 32767];
const i32: Rule = [0, -2147483648, 2147483647];
const i53: Rule = [0, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const u64: Rule = [1, 0n, 18446744073709551615n];
const i64: Rule = [1, -9223372036854775808n, 9223372036854775807n];
const bool: Rule = [2];
const f64: Rule = [5];
`
	// Only the constants that are used appear.
	var b bytes.Buffer
	for _, line := range strings.SplitAfter(head, "\n") {
		name, _, isConst := strings.Cut(strings.TrimPrefix(line, "const "), ":")
		if strings.HasPrefix(line, "const ") && isConst && !g.done[name] {
			continue
		}
		b.WriteString(line)
	}
	b.WriteString("\n")
	b.Write(g.types.Bytes())
	b.Write(g.rules.Bytes())
	b.WriteString("\n")
	b.Write(g.schemas.Bytes())
	return b.Bytes()
}

type tsGen struct {
	types, rules, schemas bytes.Buffer
	done                  map[string]bool // rules written, constants used
}

func jsdoc(b *bytes.Buffer, indent, doc string) {
	if doc == "" {
		return
	}
	lines := strings.Split(strings.ReplaceAll(doc, "*/", "* /"), "\n")
	if len(lines) == 1 {
		fmt.Fprintf(b, "%s/** %s */\n", indent, lines[0])
		return
	}
	fmt.Fprintf(b, "%s/**\n", indent)
	for _, line := range lines {
		b.WriteString(strings.TrimRight(indent+" * "+line, " ") + "\n")
	}
	fmt.Fprintf(b, "%s */\n", indent)
}

func (g *tsGen) enum(e *enum) {
	jsdoc(&g.types, "", e.doc)
	fmt.Fprintf(&g.types, "export const %s = {\n", e.name)
	for _, v := range e.values {
		jsdoc(&g.types, "  ", v.doc)
		fmt.Fprintf(&g.types, "  %s: %d,\n", camel(strings.TrimPrefix(v.name, e.name)), v.n)
	}
	fmt.Fprintf(&g.types, "} as const;\nexport type %[1]s = (typeof %[1]s)[keyof typeof %[1]s];\n\n", e.name)
}

func (g *tsGen) unionType(u *union) {
	jsdoc(&g.types, "", u.doc)
	fmt.Fprintf(&g.types, "export type %s =", u.name)
	for _, m := range u.cases {
		fmt.Fprintf(&g.types, "\n  | ({ readonly type: '%s' } & %s)", camel(m.strct.name), m.strct.name)
	}
	g.types.WriteString(";\n\n")
}

func (g *tsGen) structType(m *strct) {
	jsdoc(&g.types, "", m.doc)
	if len(m.fields) == 0 {
		fmt.Fprintf(&g.types, "export type %s = Readonly<Record<never, never>>;\n\n", m.name)
		return
	}
	fmt.Fprintf(&g.types, "export interface %s {\n", m.name)
	for _, f := range m.fields {
		jsdoc(&g.types, "  ", f.doc)
		mark := ""
		if f.vanishes() {
			mark = "?"
		}
		fmt.Fprintf(&g.types, "  readonly %s%s: %s;\n", camel(f.name), mark, f.typ.ts(f.omit))
	}
	g.types.WriteString("}\n\n")
}

// vanishes reports whether an absent field is undefined rather than zero.
func (f *field) vanishes() bool {
	return f.omit && (f.typ.kind == kindPointer || f.typ.kind == kindUnion)
}

// ts is the type in TypeScript. An optional enum may also be 0.
func (t *typ) ts(optional bool) string {
	switch t.kind {
	case kindUint, kindInt:
		switch {
		case t.enum != nil && optional && t.enum.lo() > 0:
			return t.enum.name + " | 0"
		case t.enum != nil:
			return t.enum.name
		case t.big:
			return "bigint"
		}
		return "number"
	case kindBool:
		return "boolean"
	case kindText:
		return "string"
	case kindBytes, kindFixed:
		return "Uint8Array<ArrayBuffer>"
	case kindF64:
		return "number"
	case kindArray:
		if t.elem.kind == kindArray {
			return "readonly (" + t.elem.ts(false) + ")[]"
		}
		return "readonly " + t.elem.ts(false) + "[]"
	case kindUnion:
		return t.union.name
	}
	return t.strct.name
}

func ruleName(message string) string { return camel(message) + "Rule" }

// structRule writes the rule of a struct after the rules that it mentions.
func (g *tsGen) structRule(m *strct) {
	if g.done[ruleName(m.name)] {
		return
	}
	g.done[ruleName(m.name)] = true
	var entries []string
	for _, f := range m.sorted() {
		entry := fmt.Sprintf("['%s', %s", f.key, g.rule(f.typ))
		absent := 0
		if f.vanishes() {
			absent = 2
		} else if f.omit {
			absent = 1
		}
		if name := camel(f.name); name != f.key {
			entry += fmt.Sprintf(", %d, '%s'", absent, name)
		} else if absent > 0 {
			entry += fmt.Sprintf(", %d", absent)
		}
		entries = append(entries, entry+"]")
	}
	g.writeRule(m.name, 7, entries)
}

func (g *tsGen) unionRule(u *union) {
	if g.done[ruleName(u.name)] {
		return
	}
	g.done[ruleName(u.name)] = true
	var entries []string
	for _, m := range u.cases {
		g.structRule(m.strct)
		entries = append(entries, fmt.Sprintf("[%d, '%s', %s]", m.n, camel(m.strct.name), ruleName(m.strct.name)))
	}
	g.writeRule(u.name, 8, entries)
}

func (g *tsGen) writeRule(name string, code int, entries []string) {
	line := fmt.Sprintf("const %s: Rule = [%d, [%s]];\n", ruleName(name), code, strings.Join(entries, ", "))
	if len(line) > 100 {
		line = fmt.Sprintf("const %s: Rule = [%d, [\n  %s,\n]];\n", ruleName(name), code, strings.Join(entries, ",\n  "))
	}
	g.rules.WriteString(line)
}

// rule is an expression for the rule of a type.
func (g *tsGen) rule(t *typ) string {
	use := func(name string) string {
		g.done[name] = true
		return name
	}
	switch t.kind {
	case kindUint, kindInt:
		if t.enum != nil {
			return fmt.Sprintf("[0, %d, %d]", t.enum.lo(), t.enum.hi())
		}
		letter, bits := "u", t.bits
		if t.kind == kindInt {
			letter = "i"
		}
		if bits == 64 && !t.big {
			bits = 53
		}
		return use(letter + strconv.Itoa(bits))
	case kindBool:
		return use("bool")
	case kindF64:
		return use("f64")
	case kindText:
		return fmt.Sprintf("[3, %d]", t.most)
	case kindBytes:
		return fmt.Sprintf("[4, 0, %d]", t.most)
	case kindFixed:
		return fmt.Sprintf("[4, %d, %d]", t.length, t.length)
	case kindArray:
		return fmt.Sprintf("[6, %d, %s]", t.most, g.rule(t.elem))
	case kindUnion:
		g.unionRule(t.union)
		return ruleName(t.union.name)
	}
	g.structRule(t.strct)
	return ruleName(t.strct.name)
}

func (g *tsGen) schema(name string) {
	fmt.Fprintf(&g.schemas, "export const %sSchema = %s as Schema<%s>;\n", camel(name), ruleName(name), name)
}

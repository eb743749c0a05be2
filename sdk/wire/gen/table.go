package main

// testTable returns a test file that lists every codec under the name table, so
// that tests and the fuzz target reach all of them.
func testTable(s *schema, table string) ([]byte, error) {
	g := &goGen{imports: map[string]bool{}}
	g.p("var %s = []entry{", table)
	for _, u := range s.unions {
		g.p("{\n%q, %t,", u.name, u.root)
		g.p("func(b []byte, v any) []byte { return Append%[1]s(b, v.(%[1]s)) },", u.name)
		g.p("func(b []byte) (any, error) { return Decode%s(b) },\n[]any{", u.name)
		for _, m := range u.cases {
			g.p("%s{},", m.strct.name)
		}
		g.p("},\n},")
	}
	for _, m := range s.structs {
		g.p("{\n%q, %t,", m.name, m.root)
		g.p("func(b []byte, v any) []byte { return v.(%s).Append(b) },", m.name)
		g.p("func(b []byte) (any, error) { return Decode%s(b) },\n[]any{%s{}},\n},", m.name, m.name)
	}
	g.p("}\n\n// %sEnums holds the least and the greatest value of each enum.", table)
	g.p("var %sEnums = map[string][2]uint64{", table)
	for _, e := range s.enums {
		g.p("%q: {%d, %d},", e.name, e.lo(), e.hi())
	}
	g.p("}")
	return g.file(s.name)
}

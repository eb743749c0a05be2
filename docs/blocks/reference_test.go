package blocks

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"shoal/js/e2e/command"
	"shoal/js/e2e/site"
	"shoal/sdk/catalog"
	"shoal/sdk/diag"
)

var update = flag.Bool("update", false, "write the generated pages of docs/reference")

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(site.Root(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// generated holds a page to what it is made from, or writes it with -update.
func generated(t *testing.T, name, want string) {
	t.Helper()
	file := filepath.Join(site.Root(t), filepath.FromSlash(name))
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if read(t, name) != want {
		t.Errorf("%s is not up to date: go test ./docs/blocks -run TestThePageOf -update", name)
	}
}

func TestThePageOfRefusalsHasEveryCode(t *testing.T) {
	codes := diag.All()
	slices.SortFunc(codes, func(a, b diag.Code) int { return strings.Compare(a.Code, b.Code) })
	var p strings.Builder
	p.WriteString(`# Refusals

A refusal is the one form in which Shoal says no: a code that never changes its
meaning, what, why, and how to fix it. Commands end with exit code 3 then, or with 1
if the job had begun. This page is made from the table of codes.
`)
	area := ""
	for _, c := range codes {
		a, _, _ := strings.Cut(c.Code, "/")
		if a != area {
			fmt.Fprintf(&p, "\n## %s\n\n| code | |\n| --- | --- |\n", a)
			area = a
		}
		fmt.Fprintf(&p, "| [`%s`](../errors/%s.md) | %s |\n", c.Code, c.Code, c.Title)
	}
	generated(t, "docs/reference/errors.md", p.String())
}

func TestThePageOfProgramsHasEveryProgram(t *testing.T) {
	var p strings.Builder
	p.WriteString(`# Built-in programs

The programs that come with Shoal. A job names one by its name; they are modules like
anyone's, and take the same road. This page is made from the catalog, which
` + "`shoal catalog`" + ` prints.
`)
	for _, e := range catalog.Builtin().Programs() {
		fmt.Fprintf(&p, "\n## `%s`\n\n%s. %s\n\n", e.Name, strings.TrimSuffix(e.Title, "."), wrapped(e.Doc, len(e.Title)+2))
		fmt.Fprintf(&p, "Splits: %s.", codes(e.Splits))
		if len(e.Columns) > 0 {
			fmt.Fprintf(&p, " Columns, in this order: %s.", codes(e.Columns))
		}
		if len(e.Formats) > 0 {
			fmt.Fprintf(&p, " Formats of records: %s.", codes(e.Formats))
		}
		p.WriteString("\n")
		if len(e.Params) > 0 {
			p.WriteString("\n| param | | unit | default | range |\n| --- | --- | --- | --- | --- |\n")
			for _, x := range e.Params {
				whole := ""
				if x.Whole {
					whole = ", whole"
				}
				fmt.Fprintf(&p, "| `%s` | %s | %s | %s | %s … %s%s |\n", x.Name, x.Doc, x.Unit, number(x.Default), number(x.Min), number(x.Max), whole)
			}
		}
		if len(e.Inputs) > 0 {
			p.WriteString("\n| input | | format |\n| --- | --- | --- |\n")
			for _, x := range e.Inputs {
				fmt.Fprintf(&p, "| `%s` | %s | %s |\n", x.Name, x.Doc, x.Format)
			}
		}
		if e.OutputsFollowColumns {
			p.WriteString("\nAn output for each column, of the same name.\n")
		} else {
			p.WriteString("\n| output | | unit |\n| --- | --- | --- |\n")
			for _, x := range e.Outputs {
				fmt.Fprintf(&p, "| `%s` | %s | %s |\n", x.Name, x.Doc, x.Unit)
			}
		}
	}
	generated(t, "docs/reference/programs.md", p.String())
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func codes(names []string) string { return "`" + strings.Join(names, "`, `") + "`" }

// wrapped breaks a text into lines as the pages do; the first begins after some
// characters.
func wrapped(text string, at int) string {
	var b strings.Builder
	for _, word := range strings.Fields(text) {
		if n := len([]rune(word)); at+n > 84 {
			b.WriteString("\n")
			at = 0
		} else if b.Len() > 0 {
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += len([]rune(word))
	}
	return b.String()
}

// explained reports whether a page has a heading or the first cell of a row for a
// name.
func explained(page, name string) bool {
	return regexp.MustCompile("(?m)^(#{2,4} `" + regexp.QuoteMeta(name) + `\b|\| [^|\n]*` + "`" + regexp.QuoteMeta(name) + "`[^|\n]* \\|)").MatchString(page)
}

func TestEveryExportOfTheSDKIsExplained(t *testing.T) {
	src := read(t, "js/src/index.ts")
	page := read(t, "docs/reference/js.md")
	n := 0
	for _, m := range regexp.MustCompile(`(?s)export (?:type )?\{(.*?)\} from`).FindAllStringSubmatch(src, -1) {
		for _, name := range strings.Split(m[1], ",") {
			name = strings.TrimPrefix(strings.TrimSpace(name), "type ")
			if name == "" {
				continue
			}
			n++
			if !explained(page, name) {
				t.Errorf("docs/reference/js.md does not explain %s", name)
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d exports", n)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(page, -1) {
		if !regexp.MustCompile(`\b` + m[1] + `\b`).MatchString(src) {
			t.Errorf("docs/reference/js.md explains %s, which is not exported", m[1])
		}
	}
}

func TestEveryFieldOfAValueIsExplained(t *testing.T) {
	src := read(t, "js/src/value.ts")
	page := read(t, "docs/reference/combines.md")
	sections := map[string]string{}
	for _, part := range strings.Split(page, "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		sections[strings.Trim(title, "`")] = body
	}
	for _, name := range catalog.Builtin().CombineNames() {
		if _, ok := sections[name]; !ok {
			t.Errorf("docs/reference/combines.md has no section for %s", name)
		}
	}
	kinds := map[string]string{"Regression": "covariance", "Reduced": "by"}
	field := regexp.MustCompile(`(?m)^  readonly (\w+)\??:`)
	n := 0
	for _, m := range regexp.MustCompile(`(?s)export interface (\w+)(?: extends (\w+))? \{\n(.*?)\n\}`).FindAllStringSubmatch(src, -1) {
		kind, ok := kinds[m[1]]
		if !ok {
			kind = strings.ToLower(m[1])
		}
		body, ok := sections[kind]
		if !ok {
			continue // not the value of one combine
		}
		for _, f := range field.FindAllStringSubmatch(m[3], -1) {
			n++
			if !strings.Contains(body, "`"+f[1]+"`") {
				t.Errorf("docs/reference/combines.md: %s does not explain %s", kind, f[1])
			}
		}
	}
	if n < 40 {
		t.Errorf("only %d fields", n)
	}
}

func TestEveryCommandAndFlagIsExplained(t *testing.T) {
	page := read(t, "docs/reference/cli.md")
	sections := map[string]string{}
	for _, part := range strings.Split(page, "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		if words := strings.Fields(strings.Trim(title, "`")); words[0] == "shoal" {
			sections[words[1]] = body
		}
	}
	s := &scratch{t: t, dir: t.TempDir(), root: t.TempDir()}
	shoal := command.Build(t)
	help := s.run(nil, shoal, "help")
	found := regexp.MustCompile(`(?m)^  shoal (\w+)`).FindAllStringSubmatch(help.out, -1)
	if len(found) != len(sections) {
		t.Errorf("%d commands and %d sections", len(found), len(sections))
	}
	for _, m := range found {
		body, ok := sections[m[1]]
		if !ok {
			t.Errorf("docs/reference/cli.md has no section for shoal %s", m[1])
			continue
		}
		for _, f := range regexp.MustCompile(`(?m)^  -([a-z]+)`).FindAllStringSubmatch(s.run(nil, shoal, m[1], "--help").out, -1) {
			if f[1] != "json" && !regexp.MustCompile("`--?"+f[1]+"`").MatchString(body) {
				t.Errorf("docs/reference/cli.md: shoal %s does not explain --%s", m[1], f[1])
			}
		}
		for _, f := range regexp.MustCompile("`--([a-z]+)`").FindAllStringSubmatch(body, -1) {
			if help := s.run(nil, shoal, m[1], "--help").out; !strings.Contains(help, "  -"+f[1]+"\n") && !strings.Contains(help, "  -"+f[1]+" ") {
				t.Errorf("docs/reference/cli.md: shoal %s has no --%s", m[1], f[1])
			}
		}
	}
}

// slug is the anchor that a heading gets on a page.
func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	root := site.Root(t)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fenced := regexp.MustCompile("(?ms)^```.*?^```$")
	anchors := func(file string) []string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, m := range regexp.MustCompile(`(?m)^#{1,6} (.*)$|<a id="([^"]+)">`).FindAllStringSubmatch(fenced.ReplaceAllString(string(b), ""), -1) {
			list = append(list, slug(m[1]), m[2])
		}
		return list
	}
	n := 0
	for _, name := range tracked(t, "*.md") {
		text := fenced.ReplaceAllString(read(t, name), "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(to, "://") || strings.HasPrefix(to, "mailto:") {
				continue
			}
			n++
			file := filepath.Join(root, filepath.FromSlash(name))
			if to != "" {
				file = filepath.Join(filepath.Dir(file), filepath.FromSlash(to))
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", name, m[1])
			} else if anchor != "" && filepath.Ext(file) == ".md" && !slices.Contains(anchors(file), anchor) {
				t.Errorf("%s: %s has no heading for #%s", name, to, anchor)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d links", n)
	}
}

func TestTheMapNamesEveryPage(t *testing.T) {
	text := read(t, "docs/README.md")
	for _, name := range tracked(t, "docs") {
		rel := strings.TrimPrefix(name, "docs/")
		if filepath.Ext(name) != ".md" || rel == "README.md" || strings.HasPrefix(rel, "errors/") || strings.HasPrefix(rel, "decisions/") {
			continue // those have an index, and a folder
		}
		if !strings.Contains(text, "("+rel+")") {
			t.Errorf("docs/README.md does not name %s", rel)
		}
	}
}

// TestCommandsOnPagesOfRefusalsExist looks at what those pages tell people to type
// elsewhere: with their own files, keys and servers.
func TestCommandsOnPagesOfRefusalsExist(t *testing.T) {
	s := &scratch{t: t, dir: t.TempDir(), root: t.TempDir()}
	shoal := command.Build(t)
	n := 0
	for _, d := range documents(t) {
		if _, ok := d.inErrors(); !ok {
			continue
		}
		for _, b := range d.blocks {
			for line := range strings.Lines(b.text) {
				words := strings.Fields(line)
				if b.lang != "" || len(words) < 2 || words[0] != "shoal" {
					continue
				}
				n++
				help := s.run(b, shoal, words[1], "--help")
				if help.err != nil {
					t.Errorf("%s:%d: there is no shoal %s", b.page, b.line, words[1])
				}
				for _, word := range words[2:] {
					flag := strings.TrimLeft(word, "-")
					if flag != word && !strings.Contains(help.out, "\n  -"+flag+"\n") && !strings.Contains(help.out, "\n  -"+flag+" ") {
						t.Errorf("%s:%d: shoal %s has no %s", b.page, b.line, words[1], word)
					}
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("only %d commands", n)
	}
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The limits of fields that name none, by constants of the package itself.
const (
	defaultText  = "MaxText"
	defaultBytes = "MaxBytes"
	defaultItems = "MaxItems"
)

// loader reads the declarations of one package.
type loader struct {
	fset   *token.FileSet
	pkg    *types.Package
	info   *types.Info
	root   string // directory of go.mod
	module string
	loaded map[string]*types.Package

	schema  schema
	structs map[string]*strct
	unions  map[string]*union
	enums   map[string]*enum
	specs   []spec
}

// spec is one declared type with its comment.
type spec struct {
	*ast.TypeSpec
	doc *ast.CommentGroup
}

// load reads the package in dir. keep chooses the files whose messages are
// generated; the others lend constants and types.
func load(dir string, use, keep func(file string) bool) (*schema, error) {
	l := &loader{
		fset:    token.NewFileSet(),
		info:    &types.Info{Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{}},
		loaded:  map[string]*types.Package{},
		structs: map[string]*strct{},
		unions:  map[string]*union{},
		enums:   map[string]*enum{},
	}
	if err := l.findModule(dir); err != nil {
		return nil, err
	}
	files, err := l.parse(dir, use)
	if err != nil {
		return nil, err
	}
	l.pkg = l.check("", files)
	l.schema.name = l.pkg.Name()
	for _, f := range files {
		kept := keep(l.fset.Position(f.Pos()).Filename)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE || !kept {
				continue
			}
			for _, s := range g.Specs {
				t := s.(*ast.TypeSpec)
				doc := t.Doc
				if doc == nil && len(g.Specs) == 1 {
					doc = g.Doc
				}
				l.specs = append(l.specs, spec{t, doc})
			}
		}
	}
	for _, step := range []func(spec) error{l.declare, l.fill} {
		for _, s := range l.specs {
			if err := step(s); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", l.fset.Position(s.Pos()), s.Name, err)
			}
		}
	}
	l.describeEnums(files)
	return &l.schema, l.finish()
}

// findModule learns the module's path and place, for imports within it.
func (l *loader) findModule(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for at := abs; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil {
			line, _, _ := strings.Cut(string(text), "\n")
			l.root, l.module = at, strings.TrimSpace(strings.TrimPrefix(line, "module "))
			return nil
		}
		if at == filepath.Dir(at) {
			return fmt.Errorf("%s is in no module", dir)
		}
	}
}

func (l *loader) parse(dir string, use func(string) bool) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var files []*ast.File
	for _, name := range names {
		if !use(name) {
			continue
		}
		f, err := parser.ParseFile(l.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	return files, nil
}

// check resolves names. Errors are expected, as the generated half is missing;
// what matters shows up as a field of unknown type.
func (l *loader) check(path string, files []*ast.File) *types.Package {
	conf := types.Config{Importer: l, IgnoreFuncBodies: true, Error: func(error) {}}
	pkg, _ := conf.Check(path, l.fset, files, l.info)
	return pkg
}

// Import loads packages of this module from source, and nothing of others.
func (l *loader) Import(path string) (*types.Package, error) {
	if p := l.loaded[path]; p != nil {
		return p, nil
	}
	p := types.NewPackage(path, filepath.Base(path))
	if rest, ok := strings.CutPrefix(path, l.module+"/"); ok {
		files, err := l.parse(filepath.Join(l.root, filepath.FromSlash(rest)), isSource)
		if err != nil {
			return nil, err
		}
		p = l.check(path, files)
	}
	p.MarkComplete()
	l.loaded[path] = p
	return p, nil
}

// isSource reports whether a file is part of the package and written by hand.
func isSource(file string) bool {
	return !strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, "_gen.go")
}

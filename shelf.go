package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// shelf keeps the entries of the user's own catalog, one file each.
type shelf struct{ dir string }

// shelfHome names the variable that moves the user's own catalog, and all else
// that Shoal may keep one day, to another folder.
const shelfHome = "SHOAL_HOME"

// openShelf finds the user's own catalog; the folder is made when it is needed. A
// user without a home has an empty one.
func openShelf() shelf {
	if home := os.Getenv(shelfHome); home != "" {
		return shelf{filepath.Join(home, "catalog")}
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return shelf{}
	}
	return shelf{filepath.Join(dir, "shoal", "catalog")}
}

// shelved is one entry with its bundle.
type shelved struct {
	catalog.Entry
	bundle []byte
}

func (s shelved) digest() id.Digest { return catalog.EntryDigest(s.bundle) }

// The names of entries hold neither a point nor a capital, so this is reversible
// and safe on every file system.
func (s shelf) path(name string) string {
	return filepath.Join(s.dir, strings.ReplaceAll(name, "/", ".")+".entry")
}

// list returns the entries by name. A file that is no entry is left out.
func (s shelf) list() ([]shelved, error) {
	files, err := os.ReadDir(s.dir)
	if s.dir == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, failed(err)
	}
	var out []shelved
	for _, file := range files {
		f := filepath.Join(s.dir, file.Name())
		if filepath.Ext(f) != ".entry" {
			continue
		}
		bundle, err := os.ReadFile(f)
		if err != nil {
			return nil, failed(err)
		}
		if e, err := catalog.OpenEntry(bundle); err == nil && s.path(e.Name) == f {
			out = append(out, shelved{e, bundle})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out, nil
}

// open reads the entry of a name, if the catalog keeps one. A file that was damaged
// since is refused, as catalog/bundle.
func (s shelf) open(name string) (e shelved, ok bool, err error) {
	// Other names are no entries', and what a file system says of them varies.
	if s.dir == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-/") != "" || len(name) > 64 {
		return e, false, nil
	}
	path := s.path(name)
	e.bundle, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return e, false, nil
	}
	if err != nil {
		return e, false, failed(err)
	}
	e.Entry, err = catalog.OpenEntry(e.bundle)
	why := "it holds the entry " + e.Name
	if err != nil {
		why = err.Error()
		if r, ok := diag.As(err); ok {
			why = r.Why
		}
	} else if e.Name == name {
		return e, true, nil
	}
	return e, false, diag.New("catalog/bundle", path+": "+why, diag.Detail{Key: "file", Value: path}).
		WithFix("add or import " + name + " again, or delete the file")
}

// find returns the entry of a name or digest, or refuses it as
// catalog/unknown-entry.
func (s shelf) find(what string) (shelved, error) {
	if e, ok, err := s.open(what); ok || err != nil {
		return e, err
	}
	all, err := s.list()
	if err != nil {
		return shelved{}, err
	}
	var names []string
	for _, e := range all {
		if e.Name == what || e.digest().String() == what {
			return e, nil
		}
		names = append(names, e.Name)
	}
	why := "there is no entry " + catalog.Quote(what)
	if near := catalog.Nearest(what, names); near != "" {
		why += "; did you mean " + near + "?"
	}
	return shelved{}, diag.New("catalog/unknown-entry", why, diag.Detail{Key: "entry", Value: what})
}

// put checks a bundle as a job would, admits its module, and keeps it in place of
// an entry of the same name.
func (s shelf) put(bundle []byte) (shelved, error) {
	e, err := catalog.OpenEntry(bundle)
	if err != nil {
		return shelved{}, err
	}
	if _, err := catalog.Builtin().Program(e.Name); err == nil {
		return shelved{}, diag.New("catalog/entry", "the name "+e.Name+" is that of a built-in program", diag.Detail{Key: "entry", Value: e.Name}).
			WithFix("give the entry another name")
	}
	policy := guest.Policy{MaxPages: e.Pages, ExportRules: true, Reducer: e.Kind == catalog.KindCombine}
	if _, err := guest.Admit(e.Module, policy); err != nil {
		return shelved{}, err
	}
	if s.dir == "" {
		return shelved{}, failed(errors.New("there is no folder for your catalog: set " + shelfHome))
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return shelved{}, failed(err)
	}
	// Written beside and renamed, so that no reader sees a part of it.
	f, err := os.CreateTemp(s.dir, "new-*")
	if err != nil {
		return shelved{}, failed(err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(bundle)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), s.path(e.Name))
	}
	if err != nil {
		return shelved{}, failed(err)
	}
	return shelved{e, bundle}, nil
}

// remove drops an entry.
func (s shelf) remove(what string) (shelved, error) {
	e, err := s.find(what)
	if err != nil {
		return e, err
	}
	if err := os.Remove(s.path(e.Name)); err != nil {
		return e, failed(err)
	}
	return e, nil
}

// handOver returns the entries that a job names by their name in this catalog, as
// files. Built-in programs and files beside the job come first.
func (s shelf) handOver(src []byte, dir string) ([]wire.File, error) {
	names, err := job.Entries(src)
	if err != nil {
		return nil, err
	}
	var out []wire.File
	for _, name := range names {
		if _, err := catalog.Builtin().Program(name); err == nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			continue
		}
		e, ok, err := s.open(name)
		if err != nil {
			return nil, err
		}
		if ok && !named(out, name) {
			out = append(out, wire.File{Name: name, Data: e.bundle})
		}
	}
	return out, nil
}

// missing refuses the name of an entry that is neither a file nor in this catalog,
// as catalog/unknown-entry; any other name is no concern of it.
func (s shelf) missing(src []byte, name string) error {
	names, err := job.Entries(src)
	if err != nil {
		return err
	}
	for _, n := range names {
		if n == name && filepath.Ext(name) == "" {
			_, err := s.find(name)
			return err
		}
	}
	return nil
}

// named reports whether a file of that name is among those.
func named(files []wire.File, name string) bool {
	for _, f := range files {
		if f.Name == name {
			return true
		}
	}
	return false
}

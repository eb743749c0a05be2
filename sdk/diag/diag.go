// Package diag holds refusals: the one form in which Shoal says no.
//
// A refusal has a stable code, and says what was refused, why, and how to fix
// it. The same text reaches the command line, the page and the documentation.
// Codes live in tables, one file an area; docs/errors has a page for each.
package diag

import "errors"

// Refusal is a "no" that a person meets. It is an error.
type Refusal struct {
	Code    string   // stable slug, area/what: "job/unknown-field"
	Title   string   // what was refused, one line
	Why     string   // what about this input led to it
	Fix     string   // what to do about it
	Details []Detail // facts for programs: field, offset, limit …
}

// Detail is one named fact of a refusal.
type Detail struct {
	Key   string
	Value string
}

// Code is one row of the code table.
type Code struct {
	Code  string
	Title string
	Fix   string
}

// New returns the refusal with the given code, its title and fix taken from the
// table. An unknown code is a bug in the caller, and panics.
func New(code, why string, details ...Detail) *Refusal {
	c, ok := Lookup(code)
	if !ok {
		panic("diag: bug: no such code: " + code)
	}
	return &Refusal{Code: code, Title: c.Title, Why: why, Fix: c.Fix, Details: details}
}

// WithFix returns a copy of r whose fix is more exact than the table's.
func (r *Refusal) WithFix(fix string) *Refusal {
	c := *r
	c.Fix = fix
	return &c
}

// Detail returns the value of the named detail, or "".
func (r *Refusal) Detail(key string) string {
	for _, d := range r.Details {
		if d.Key == key {
			return d.Value
		}
	}
	return ""
}

// Docs returns the page that explains the refusal, relative to the repository.
func (r *Refusal) Docs() string { return Page(r.Code) }

// Page returns the documentation page of a code, relative to the repository.
func Page(code string) string { return "docs/errors/" + code + ".md" }

// Error returns the refusal on one line.
func (r *Refusal) Error() string {
	s := r.Code + ": " + r.Title
	if r.Why != "" {
		s += ": " + r.Why
	}
	if r.Fix != "" {
		s += " (" + r.Fix + ")"
	}
	return s
}

// As returns the refusal in err's chain.
func As(err error) (*Refusal, bool) {
	var r *Refusal
	ok := errors.As(err, &r)
	return r, ok
}

// Is reports whether err is a refusal with the given code.
func Is(err error, code string) bool {
	r, ok := As(err)
	return ok && r.Code == code
}

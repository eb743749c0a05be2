// Package jobfile hands one job to the command and to pages.
package jobfile

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/site"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// Job is a job file with the files that it names.
type Job struct {
	Name   string // for people
	Source []byte
	Files  []wire.File
}

// Example reads a job file of the examples folder.
func Example(tb testing.TB, path string) Job {
	tb.Helper()
	path = filepath.Join(site.Root(tb), "examples", filepath.FromSlash(path))
	src, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	names, err := job.Files(src)
	if err != nil {
		tb.Fatal(err)
	}
	j := Job{Name: filepath.Base(path), Source: src}
	for _, n := range names {
		data, err := os.ReadFile(filepath.Join(filepath.Dir(path), n))
		if err != nil {
			tb.Fatal(err)
		}
		j.Files = append(j.Files, wire.File{Name: n, Data: data})
	}
	return j
}

// With returns the job with another value of one field, given as JSON.
func (j Job) With(tb testing.TB, field, value string) Job {
	tb.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(j.Source, &fields); err != nil {
		tb.Fatal(err)
	}
	fields[field] = json.RawMessage(value)
	src, err := json.Marshal(fields)
	if err != nil {
		tb.Fatal(err)
	}
	j.Source = src
	return j
}

// Write puts the job and its files into a folder of the test's own, and returns
// the path of the job file.
func (j Job) Write(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			tb.Fatal(err)
		}
		return path
	}
	for _, f := range j.Files {
		write(f.Name, f.Data)
	}
	return write("job.json", j.Source)
}

// Expression returns a JavaScript expression for the job, in a place where the
// SDK is called shoal.
func (j Job) Expression() string {
	files := map[string]string{}
	for _, f := range j.Files {
		files[f.Name] = base64.StdEncoding.EncodeToString(f.Data)
	}
	return `((spec, files) => {
		const bytes = (name) => Uint8Array.from(atob(files[name]), (c) => c.charCodeAt(0));
		if (spec.split.records) spec.split.records.file = bytes(spec.split.records.file);
		for (const input of Object.values(spec.inputs ?? {})) input.file = bytes(input.file);
		for (const at of [spec.program, spec.split.by, spec.combine.by]) {
			for (const k of ['module', 'entry']) if (at?.[k]) at[k] = bytes(at[k]);
		}
		return shoal.job(spec);
	})(` + string(j.Source) + `, ` + browser.Literal(files) + `)`
}

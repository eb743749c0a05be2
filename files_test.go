package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const columnJob = `{"program":"stats/columns","split":{"records":{"file":"data.csv","column":"x"}},"combine":"moments"}`

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAPackedFileGivesTheDigestOfThePlainOne(t *testing.T) {
	needsModule(t)
	digests := map[string]bool{}
	for _, content := range []string{"x\n1\n2\n4\n", zipped(t, "x\n1\n2\n4\n")} {
		dir := t.TempDir()
		write(t, dir, "data.csv", content)
		o := shoal(t, "", "run", write(t, dir, "job.json", columnJob), "--json")
		if o.code != exitOK {
			t.Fatalf("exit %d: %s%s", o.code, o.out, o.err)
		}
		digests[o.last(t)["digest"].(string)] = true
	}
	if len(digests) != 1 {
		t.Errorf("two digests of one file: %v", digests)
	}
}

func TestFilesThatCannotBeReadAreRefused(t *testing.T) {
	needsModule(t)
	for _, c := range []struct {
		name, content, code string
	}{
		{"none", "", "job/missing-file"},
		{"cut off", zipped(t, "x\n1\n2\n4\n")[:20], "job/unreadable"},
		{"a folder", "/", "job/unreadable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			switch c.content {
			case "":
			case "/":
				if err := os.Mkdir(filepath.Join(dir, "data.csv"), 0o700); err != nil {
					t.Fatal(err)
				}
			default:
				write(t, dir, "data.csv", c.content)
			}
			o := shoal(t, "", "run", write(t, dir, "job.json", columnJob), "--json")
			if r := o.last(t); o.code != exitRefused || r["code"] != c.code {
				t.Errorf("exit %d with %v, want %s", o.code, r, c.code)
			}
		})
	}
	o := shoal(t, "", "run", filepath.Join(t.TempDir(), "job.json"), "--json")
	if r := o.last(t); o.code != exitRefused || r["code"] != "job/unreadable" {
		t.Errorf("without a job file: exit %d with %v", o.code, r)
	}
}

func TestAFileThatIsTooLargeForMemoryIsReadInPieces(t *testing.T) {
	needsModule(t)
	const rows = 720_000 // of 100 bytes
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "data.csv"))
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "x,text")
	for i := range rows {
		line := fmt.Sprintf("%d,", i%1000)
		fmt.Fprintf(w, "%s%s\n", line, strings.Repeat(".", 99-len(line)))
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	o := shoal(t, "", "run", write(t, dir, "job.json", columnJob), "--json")
	if o.code != exitOK {
		t.Fatalf("exit %d: %s%s", o.code, o.out, o.err)
	}
	var r struct{ Result struct{ N, Mean float64 } }
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		t.Fatal(err)
	}
	if r.Result.N != rows || r.Result.Mean != 499.5 {
		t.Errorf("got %+v, want %d rows with the mean 499.5", r.Result, rows)
	}
}

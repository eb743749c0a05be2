// Package examples runs the jobs of its folders with the command that people
// use.
package examples

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shoal/js/e2e/command"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// The tests of the folders prove the values; this one shows that they are what
// the command prints, whatever the grain.
func TestTheCommandPrintsTheValuesOfTheExamples(t *testing.T) {
	files, err := filepath.Glob("*/*.value.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d values, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := command.Run(t, "run", strings.TrimSuffix(file, ".value.json")+".json").Result
			var compact bytes.Buffer
			if err := json.Compact(&compact, got); err != nil {
				t.Fatal(err)
			}
			if compact.WriteByte('\n'); !bytes.Equal(compact.Bytes(), want) {
				t.Errorf("the command prints\n%.500s, and %s has\n%.500s", compact.Bytes(), file, want)
			}
		})
	}
}

// Jobs that draw have no value that outlives a version of the engine.
func TestTheJobsThatDrawRun(t *testing.T) {
	for _, path := range []string{"option/call.json", "lorenz/forecast.json"} {
		if _, err := os.Stat(strings.TrimSuffix(path, ".json") + ".value.json"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s has a value: %v", path, err)
		}
		if l := command.Run(t, "run", path); l.Items < 1000 || len(l.Result) < 100 {
			t.Errorf("%s: %d items, %s", path, l.Items, l.Result)
		}
	}
}

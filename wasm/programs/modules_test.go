package programs_test

import (
	"os"
	"strings"
	"testing"

	"shoal/wasm/programs"
)

func TestTheModulesAreThoseOfTheFiles(t *testing.T) {
	for _, name := range programs.Names() {
		file := strings.ReplaceAll(name, "/", "-") + ".wasm"
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := programs.Module(name); !ok || string(got) != string(want) {
			t.Errorf("%s is not %s: run npm run build", name, file)
		}
	}
}

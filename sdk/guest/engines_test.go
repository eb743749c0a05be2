package guest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"shoal/sdk/guest"
)

// script is a list of calls on a fresh instance of an admitted module.
type script struct {
	Wasm  []byte       `json:"wasm"`
	Limit string       `json:"limit"` // gas, or "" to leave it alone
	Calls []scriptCall `json:"calls"`
}

type scriptCall struct {
	Name string  `json:"name"`
	Args []int32 `json:"args"`
}

// sighting is all that a host can see of a script: results, how it ended, gas,
// and a digest of the whole memory.
type sighting struct {
	Results []string `json:"results"`
	Trapped bool     `json:"trapped"`
	Stop    int32    `json:"stop"`
	Gas     string   `json:"gas"`
	Memory  string   `json:"memory"`
}

func (s sighting) String() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// used returns the units of a script with a limit.
func (s sighting) used(t *testing.T, limit int64) int64 {
	t.Helper()
	left, err := strconv.ParseInt(s.Gas, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return limit - left
}

func runCall(n int32) []scriptCall { return []scriptCall{{"run", []int32{0, n}}} }

var (
	compiler    = wazero.NewRuntimeConfigCompiler().WithCoreFeatures(api.CoreFeaturesV2)
	interpreter = wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2)
)

func runWazero(t testing.TB, config wazero.RuntimeConfig, s script) sighting {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, config)
	defer r.Close(ctx)
	m, err := r.InstantiateWithConfig(ctx, s.Wasm, wazero.NewModuleConfig().WithStartFunctions())
	if err != nil {
		t.Fatalf("admitted module does not start: %v", err)
	}
	gas := m.ExportedGlobal(guest.ExportGas).(api.MutableGlobal)
	if s.Limit != "" {
		limit, err := strconv.ParseInt(s.Limit, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		gas.Set(uint64(limit))
	}
	seen := sighting{Results: []string{}}
	for _, c := range s.Calls {
		args := make([]uint64, len(c.Args))
		for i, a := range c.Args {
			args[i] = api.EncodeI32(a)
		}
		results, err := m.ExportedFunction(c.Name).Call(ctx, args...)
		if err != nil {
			seen.Trapped = true
			break
		}
		text := ""
		if len(results) == 1 {
			text = strconv.FormatUint(results[0], 16)
		}
		seen.Results = append(seen.Results, text)
	}
	seen.Stop = int32(m.ExportedGlobal(guest.ExportStop).Get())
	seen.Gas = strconv.FormatInt(int64(gas.Get()), 10)
	memory := m.Memory()
	view, ok := memory.Read(0, memory.Size())
	if !ok {
		t.Fatal("memory cannot be read")
	}
	sum := sha256.Sum256(view)
	seen.Memory = hex.EncodeToString(sum[:])
	return seen
}

// runNode runs scripts in V8, if Node is installed, with the given options.
func runNode(t testing.TB, scripts []script, options ...string) []sighting {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("skipped: node is not installed, so nothing compares V8 with wazero")
	}
	in, err := json.Marshal(scripts)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, append(options, "testdata/engine.mjs")...)
	cmd.Stdin = bytes.NewReader(in)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v", err)
	}
	var seen []sighting
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("node: %v in %q", err, out)
	}
	if len(seen) != len(scripts) {
		t.Fatalf("node answered %d of %d scripts", len(seen), len(scripts))
	}
	return seen
}

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".wasm"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func admit(t testing.TB, module []byte) *guest.Admitted {
	t.Helper()
	a, err := guest.Admit(module, guest.Policy{ExportRules: true})
	if err != nil {
		t.Fatalf("refused: %v", err)
	}
	return a
}

// anonymous keeps instances of one runtime apart and calls nothing.
var anonymous = wazero.NewModuleConfig().WithName("").WithStartFunctions()

func newRuntime(t testing.TB, config wazero.RuntimeConfig) wazero.Runtime {
	t.Helper()
	r := wazero.NewRuntimeWithConfig(context.Background(), config)
	t.Cleanup(func() { r.Close(context.Background()) })
	return r
}

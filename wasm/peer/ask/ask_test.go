package ask

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/engine"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// answer asks and decodes the JSON strictly into out.
func answer(t *testing.T, method uint32, body []byte, out any) {
	t.Helper()
	b, err := Answer(method, body)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(out); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
}

func TestTheEngineIsTheEngines(t *testing.T) {
	b, err := Answer(Engine, nil)
	if e := engine.ID(); err != nil || !bytes.Equal(b, e[:]) {
		t.Errorf("%x, %v", b, err)
	}
}

func TestTheCatalogIsWhole(t *testing.T) {
	var got struct {
		Programs []struct {
			Name, ID, Title, Doc string
			Params               []struct {
				Name, Doc, Unit   string
				Default, Min, Max float64
				Whole             bool
			}
			Outputs              []struct{ Name, Doc, Unit string }
			OutputsFollowColumns bool
			Returns              string
			Inputs               []catalog.Input
			Splits, Columns      []string
			Formats              []string
			RunItems, Pages      uint32
		}
		Splits   []struct{ Name, Title, Doc, Columns string }
		Combines []struct {
			Name, Title, Doc string
			Options          []struct {
				Name, Doc string
				Required  bool
			}
		}
	}
	answer(t, Catalog, nil, &got)
	want := catalog.Builtin()
	if len(got.Programs) != len(want.Programs()) || len(got.Splits) != len(want.Splits()) || len(got.Combines) != len(want.Combines()) {
		t.Fatalf("%d programs, %d splits, %d combines", len(got.Programs), len(got.Splits), len(got.Combines))
	}
	for i, p := range want.Programs() {
		g := got.Programs[i]
		if g.Name != p.Name || g.ID != p.ID.String() || g.Doc != p.Doc || len(g.Params) != len(p.Params) || len(g.Outputs) != len(p.Outputs) || g.Pages != p.Pages {
			t.Errorf("program %+v, want %+v", g, p)
		}
		if g.Returns != p.Returns || !reflect.DeepEqual(append([]catalog.Input{}, g.Inputs...), append([]catalog.Input{}, p.Inputs...)) || !slices.Equal(g.Formats, p.Formats) || !slices.Equal(g.Splits, p.Splits) {
			t.Errorf("%s takes %v of %v and %v, want %v of %v and %v", p.Name, g.Inputs, g.Splits, g.Formats, p.Inputs, p.Splits, p.Formats)
		}
		for k, q := range p.Params {
			if h := g.Params[k]; h.Name != q.Name || h.Default != q.Default || h.Max != q.Max || h.Whole != q.Whole {
				t.Errorf("param %+v, want %+v", h, q)
			}
		}
	}
}

func TestInspectSaysWhatAdmissionFinds(t *testing.T) {
	module, _ := programs.Module("mc/pi")
	var got struct {
		Program                                           string
		BytesIn, BytesOut, CustomBytes, Functions, Blocks int
		GasSites, GasChecks, NaNSites, NaNVectorSites     int
		LargestFrame, LargestFrameFunction                int
		Exports                                           []struct{ Name, Kind, Type string }
		Memory                                            struct{ Min, DeclaredMax, Max uint32 }
		Tables                                            []struct {
			Elements              string
			Min, DeclaredMax, Max uint32
		}
		Globals                  int
		Start, SIMD, Bulk, Grows bool
		Replaced                 []string
	}
	answer(t, Inspect, module, &got)
	if got.Program != catalog.ProgramID(module).String() || got.BytesIn != len(module) || got.GasSites == 0 || got.Memory.Max == 0 {
		t.Errorf("%+v", got)
	}
	found := map[string]string{}
	for _, e := range got.Exports {
		found[e.Name] = e.Kind + " " + e.Type
	}
	if found["run"] != "func (i32,i32)->i64" || found["memory"] == "" {
		t.Errorf("exports %v", found)
	}
	if _, err := Answer(Inspect, []byte("no module")); err == nil {
		t.Error("text was admitted")
	} else if _, ok := diag.As(err); !ok {
		t.Errorf("%v is no refusal", err)
	}
}

func TestFilesAndCheckReadAJob(t *testing.T) {
	src := []byte(`{"program": "stats/columns", "split": {"records": {"file": "a \"b\".csv", "columns": ["x"]}}, "combine": "moments", "seed": 9}`)
	var files []string
	answer(t, Files, src, &files)
	if len(files) != 1 || files[0] != `a "b".csv` {
		t.Errorf("files %q", files)
	}
	var got struct {
		Work, Program, ProgramID, Combine                string
		Builtin                                          bool
		Items, Grain, RunItems, Pages, Gas, Seed, Copies uint64
		Outputs, Columns                                 []string
		Params                                           map[string]float64
	}
	s := wire.Submit{Job: src, Files: []wire.File{{Name: files[0], Data: []byte("x\n1\n2\n3\n")}}}
	answer(t, Check, s.Append(nil), &got)
	if got.Program != "stats/columns" || !got.Builtin || got.Items != 3 || got.Seed != 9 || got.Combine != "moments" || len(got.Columns) != 1 || got.Outputs[0] != "x" || got.Grain != 0 {
		t.Errorf("%+v", got)
	}
	s.Files = nil
	if _, err := Answer(Check, s.Append(nil)); !diag.Is(err, "job/missing-file") {
		t.Errorf("without its file: %v", err)
	}
	for name, ask := range map[string]func() ([]byte, error){
		"no JSON":          func() ([]byte, error) { return Answer(Files, []byte("{")) },
		"no Submit":        func() ([]byte, error) { return Answer(Check, []byte{1}) },
		"no such question": func() ([]byte, error) { return Answer(99, nil) },
		"a plan":           func() ([]byte, error) { return Answer(3, nil) },
	} {
		if _, err := ask(); err == nil {
			t.Errorf("%s was answered", name)
		} else if _, ok := diag.As(err); !ok {
			t.Errorf("%s: %v is no refusal", name, err)
		}
	}
}

func FuzzAnswerNeverPanics(f *testing.F) {
	module, _ := programs.Module("mc/pi")
	f.Add(uint32(Inspect), module)
	f.Add(uint32(Files), []byte(`{"program": {"module": "m"}}`))
	f.Add(uint32(Check), wire.Submit{Job: []byte("{}")}.Append(nil))
	f.Fuzz(func(t *testing.T, method uint32, body []byte) {
		b, err := Answer(method, body)
		if err != nil {
			if _, ok := diag.As(err); !ok {
				t.Fatalf("%v is no refusal", err)
			}
			return
		}
		if method != Engine && !json.Valid(b) {
			t.Fatalf("method %d: %s", method, b)
		}
	})
}

package job

import (
	"reflect"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

var (
	testModule = []byte("\x00asm\x01\x00\x00\x00")
	testFiles  = []wire.File{
		{Name: "p.wasm", Data: testModule},
		{Name: "d.csv", Data: []byte("x,y,note\n1,2,a\n3,4,\"b,\"\"c\"\"\"\n")},
		{Name: "noheader.csv", Data: []byte("1;2\r\n3;4\r\n")},
		{Name: "empty.csv", Data: nil},
		{Name: "empty.wasm", Data: nil},
		{Name: "twice", Data: []byte("a")},
		{Name: "twice", Data: []byte("b")},
	}
	testOptions = Options{
		Engine: id.Engine(id.Sum("test/engine")),
		Owner:  id.Peer(id.Sum("test/owner")),
	}
	key1 = id.Peer(id.Sum("test/oracle")).String()
)

func parse(t *testing.T, src string) *Job {
	t.Helper()
	j, err := Parse([]byte(src), testFiles, catalog.Builtin(), testOptions)
	if err != nil {
		t.Fatalf("%s\n%v", src, err)
	}
	return j
}

func TestJobOfBuiltinProgram(t *testing.T) {
	j := parse(t, `{"program": "mc/pi", "split": {"range": 20000}, "seed": 7, "combine": "moments"}`)
	p, err := catalog.Builtin().Program("mc/pi")
	if err != nil {
		t.Fatal(err)
	}
	want := wire.Manifest{
		Version: 1,
		Work: wire.Work{
			Engine: testOptions.Engine, Program: p.ID, Outputs: 1, Pages: p.Pages,
			Split: wire.RangeSplit{Items: 20000}, Seed: 7,
		},
		RunItems: p.RunItems, Gas: DefaultGas,
		Combine: wire.Combine{Kind: "moments"}, Policy: wire.Policy{Copies: 1}, Owner: testOptions.Owner,
	}
	if !reflect.DeepEqual(j.Manifest, want) {
		t.Errorf("got  %+v\nwant %+v", j.Manifest, want)
	}
	if j.Program != "mc/pi" || j.Module != nil || j.Input != nil || !reflect.DeepEqual(j.Outputs, []string{"pi"}) {
		t.Errorf("got %+v", j)
	}
}

func TestDefaultsOfParamsComeFromTheCatalog(t *testing.T) {
	j := parse(t, `{"program": "sweep/sir", "combine": "table", "params": {"days": 30},
		"split": {"grid": {"gamma": [0.1, 0.2, 3], "beta": {"values": [0.5, 0.25]}}}}`)
	var got []string
	for _, p := range j.Manifest.Work.Params {
		got = append(got, p.Name+"="+float(p.Value))
	}
	if want := "population=10000 infected=10 days=30 steps=4"; strings.Join(got, " ") != want {
		t.Errorf("params %s, want %s", got, want)
	}
	s := j.Manifest.Work.Split.(wire.GridSplit)
	want := []wire.Axis{
		{Name: "beta", Count: 2, Values: []wire.F64{0.5, 0.25}},
		{Name: "gamma", From: 0.1, To: 0.2, Count: 3},
	}
	if !reflect.DeepEqual(s.Axes, want) || !reflect.DeepEqual(j.Columns, []string{"beta", "gamma"}) {
		t.Errorf("axes %+v, columns %q", s.Axes, j.Columns)
	}
	if !reflect.DeepEqual(j.Outputs, []string{"peak", "final"}) || Items(s) != 6 {
		t.Errorf("outputs %q of %d items", j.Outputs, Items(s))
	}
}

func TestJobOfOwnModule(t *testing.T) {
	j := parse(t, `{"program": {"module": "p.wasm", "outputs": ["peak", "final"], "runItems": 10},
		"split": {"grid": {"z": [1, 1, 1], "a": [0, 1, 2], "B": [0, 1, 2]}}, "params": {"q": 2, "Q": 1, "b": -0.0},
		"seed": "18446744073709551615", "combine": {"histogram": {"edges": [-1, 0, 2.5]}},
		"policy": {"copies": 2, "oracles": ["`+key1+`"]}, "grain": 3, "limits": {"gas": 1e9, "memory": 32}}`)
	m := j.Manifest
	var order []string
	for _, p := range m.Work.Params {
		order = append(order, p.Name)
	}
	order = append(order, j.Columns...)
	if got := strings.Join(order, " "); got != "Q b q B a z" {
		t.Errorf("params and axes in the order %s, want by name", got)
	}
	if m.Work.Program != catalog.ProgramID(testModule) || string(j.Module) != string(testModule) || j.Program != "p.wasm" {
		t.Errorf("program %+v", j)
	}
	if m.Work.Seed != 1<<64-1 || m.Work.Outputs != 2 || m.Work.Pages != 512 || m.Gas != 1e9 || m.RunItems != 10 || m.Grain != 3 {
		t.Errorf("manifest %+v", m)
	}
	if m.Policy.Copies != 2 || len(m.Policy.Oracles) != 1 || m.Policy.Oracles[0].String() != key1 {
		t.Errorf("policy %+v", m.Policy)
	}
	if spec := FoldSpec(m); spec.Kind != "histogram" || spec.Columns != 2 || !reflect.DeepEqual(spec.Edges, []float64{-1, 0, 2.5}) {
		t.Errorf("spec %+v", spec)
	}
	if err := Validate(m); err != nil {
		t.Errorf("its own manifest is refused: %v", err)
	}
}

func TestJobOfRecords(t *testing.T) {
	j := parse(t, `{"program": "stats/columns", "split": {"records": {"file": "d.csv", "format": "csv", "columns": ["y", 0]}},
		"combine": "counts"}`)
	s := j.Manifest.Work.Split.(wire.RecordsSplit)
	if s.Rows != 2 || s.Size != 29 || !s.Header || s.Delimiter != ',' || !reflect.DeepEqual(s.Columns, []uint32{1, 0}) ||
		!reflect.DeepEqual(s.Names, []string{"y", "x"}) {
		t.Errorf("split %+v", s)
	}
	if !reflect.DeepEqual(j.Outputs, []string{"y", "x"}) || j.Manifest.Work.Outputs != 2 {
		t.Errorf("outputs %q", j.Outputs)
	}
	got, err := Columns(j.Manifest.Work, 0, 2, j.Input.Slice(0, 2), nil)
	if err != nil || !reflect.DeepEqual(got, []float64{2, 1, 4, 3}) {
		t.Errorf("columns %v, %v", got, err)
	}
	byName := parse(t, `{"program": "stats/columns", "split": {"records": {"file": "d.csv", "columns": ["y", "x"]}}, "combine": "counts"}`)
	if WorkID(j.Manifest.Work) != WorkID(byName.Manifest.Work) {
		t.Error("a column by name and by position are different works")
	}
	bare := parse(t, `{"program": "stats/columns", "combine": "moments", "split": {"records":
		{"file": "noheader.csv", "header": false, "delimiter": ";", "column": 1}}}`)
	if !reflect.DeepEqual(bare.Outputs, []string{"c1"}) || string(bare.Input.Slice(1, 1)) != "3;4\r\n" {
		t.Errorf("outputs %q, second record %q", bare.Outputs, bare.Input.Slice(1, 1))
	}
}

func TestWideRecordsGetFewerItemsPerCall(t *testing.T) {
	head, row := make([]string, 256), make([]string, 256)
	for i := range head {
		head[i], row[i] = "c"+num(uint64(i)), "1"
	}
	data := strings.Join(head, ",") + "\n" + strings.Join(row, ",")
	src := `{"program": "stats/columns", "combine": "moments", "split": {"records": {"file": "w.csv", "columns": ["` +
		strings.Join(head, `","`) + `"]}}}`
	j, err := Parse([]byte(src), []wire.File{{Name: "w.csv", Data: []byte(data)}}, catalog.Builtin(), testOptions)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := j.Manifest.RunItems, uint32(4<<20/2/(512*8)); got != want {
		t.Errorf("%d items per call, want %d", got, want)
	}
}

func TestFilesNamesWhatTheJobNeeds(t *testing.T) {
	tests := []struct {
		src  string
		want []string
	}{
		{`{"program": "mc/pi", "split": {"range": 1}}`, nil},
		{`{"split": {"records": {"file": "d.csv"}}, "program": {"module": "p.wasm"}}`, []string{"p.wasm", "d.csv"}},
		{`{}`, nil},
		{`{"program": {"module": 7}}`, nil},
		{`{"split": {"records": {"files": ["a", "b", "a"]}}, "inputs": {"file": {"file": "i"}}, "params": {"file": "x"}}`, []string{"a", "b", "i"}},
		{`{"program": {"formula": {"module": "x"}}, "split": {"grid": {"file": "y"}}, "combine": {"by": {"entry": "e"}}}`, []string{"e"}},
	}
	for _, c := range tests {
		got, err := Files([]byte(c.src))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("Files(%s) = %q, %v; want %q", c.src, got, err, c.want)
		}
	}
	if _, err := Files([]byte(`{"progam": "mc/pi"}`)); !diag.Is(err, "job/unknown-field") {
		t.Errorf("an unknown field: %v", err)
	}
}

func TestGrainOfTheOptionsReplacesTheFiles(t *testing.T) {
	const src = `{"program": "mc/pi", "split": {"range": 100}, "combine": "moments", "grain": 10}`
	o := testOptions
	o.Grain = 7
	j, err := Parse([]byte(src), nil, catalog.Builtin(), o)
	if err != nil || j.Manifest.Grain != 7 {
		t.Errorf("got %+v, %v", j, err)
	}
	o.Grain = MaxItems + 1
	if _, err := Parse([]byte(src), nil, catalog.Builtin(), o); !diag.Is(err, "job/grain") {
		t.Errorf("a grain that is too large: %v", err)
	}
	m, err := WithGrain(j.Manifest, 50)
	if err != nil || m.Grain != 50 || j.Manifest.Grain != 7 || ID(m) == ID(j.Manifest) || WorkID(m.Work) != WorkID(j.Manifest.Work) {
		t.Errorf("WithGrain gives %+v, %v", m, err)
	}
	if _, err := WithGrain(j.Manifest, 0); !diag.Is(err, "job/grain") {
		t.Errorf("a grain of 0: %v", err)
	}
}

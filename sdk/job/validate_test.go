package job

import (
	"math"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

func planned(t testing.TB, name string) wire.Manifest {
	j, err := Parse([]byte(idJobs[name]), testFiles, catalog.Builtin(), testOptions)
	if err != nil {
		t.Fatal(err)
	}
	m, err := WithGrain(j.Manifest, 100)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestManifestsOutOfBoundsAreRefused(t *testing.T) {
	type M = wire.Manifest
	split := func(f func(*wire.GridSplit)) func(*M) {
		return func(m *M) {
			s := m.Work.Split.(wire.GridSplit)
			s.Axes = append([]wire.Axis(nil), s.Axes...)
			f(&s)
			m.Work.Split = s
		}
	}
	rec := func(f func(*wire.RecordsSplit)) func(*M) {
		return func(m *M) {
			s := m.Work.Split.(wire.RecordsSplit)
			s.Columns = append([]uint32(nil), s.Columns...)
			s.Names = append([]string(nil), s.Names...)
			f(&s)
			m.Work.Split = s
		}
	}
	inf := wire.F64(math.Inf(1))
	tests := []struct {
		name, base, field string
		change            func(*M)
	}{
		{"version 0", "grid", "v", func(m *M) { m.Version = 0 }},
		{"version 2", "grid", "v", func(m *M) { m.Version = 2 }},
		{"no outputs", "grid", "work.outputs", func(m *M) { m.Work.Outputs = 0 }},
		{"too many outputs", "grid", "work.outputs", func(m *M) { m.Work.Outputs = 1 << 31 }},
		{"no memory", "grid", "work.pages", func(m *M) { m.Work.Pages = 0 }},
		{"too much memory", "grid", "work.pages", func(m *M) { m.Work.Pages = 65536 }},
		{"no gas", "grid", "gas", func(m *M) { m.Gas = 0 }},
		{"too much gas", "grid", "gas", func(m *M) { m.Gas = 1 << 63 }},
		{"no items in a call", "grid", "runItems", func(m *M) { m.RunItems = 0 }},
		{"too many items in a call", "grid", "runItems", func(m *M) { m.RunItems = 1<<20 + 1 }},
		{"a call beyond memory", "grid", "runItems", func(m *M) { m.RunItems, m.Work.Pages = 1<<20, 64 }},
		{"too many params", "grid", "work.params", func(m *M) { m.Work.Params = make([]wire.Param, 257) }},
		{"a param without a name", "grid", "work.params[0]", func(m *M) { m.Work.Params = []wire.Param{{}} }},
		{"a param twice", "grid", "work.params[1]", func(m *M) { m.Work.Params = []wire.Param{{Name: "a"}, {Name: "a"}} }},
		{"an infinite param", "grid", "work.params[0]", func(m *M) { m.Work.Params = []wire.Param{{Name: "a", Value: inf}} }},
		{"a param that is NaN", "grid", "work.params[0]", func(m *M) { m.Work.Params = []wire.Param{{Name: "a", Value: inf - inf}} }},
		{"a param of ill-formed text", "grid", "work.params[0]", func(m *M) { m.Work.Params = []wire.Param{{Name: "\xff"}} }},
		{"a param of a long name", "grid", "work.params[0]", func(m *M) { m.Work.Params = []wire.Param{{Name: strings.Repeat("a", 65)}} }},
		{"no split", "grid", "work.split", func(m *M) { m.Work.Split = nil }},
		{"no items", "range", "work.split.items", func(m *M) { m.Work.Split = wire.RangeSplit{} }},
		{"too many items", "range", "work.split.items", func(m *M) { m.Work.Split = wire.RangeSplit{Items: MaxItems + 1} }},
		{"no axes", "grid", "work.split.axes", split(func(s *wire.GridSplit) { s.Axes = nil })},
		{"too many axes", "grid", "work.split.axes", split(func(s *wire.GridSplit) { s.Axes = make([]wire.Axis, 17) })},
		{"an axis without a name", "grid", "work.split.axes[1]", split(func(s *wire.GridSplit) { s.Axes[1].Name = "" })},
		{"an axis twice", "grid", "work.split.axes[2]", split(func(s *wire.GridSplit) { s.Axes[2].Name = "B" })},
		{"an axis of no points", "grid", "work.split.axes[0]", split(func(s *wire.GridSplit) { s.Axes[0].Count = 0 })},
		{"an axis of one point and two ends", "grid", "work.split.axes[0]", split(func(s *wire.GridSplit) { s.Axes[0].Count = 1 })},
		{"an infinite end", "grid", "work.split.axes[0]", split(func(s *wire.GridSplit) { s.Axes[0].To = inf })},
		{"an axis that overflows", "grid", "work.split.axes[0]", split(func(s *wire.GridSplit) { s.Axes[0].To = 1e308 })},
		{"an infinite value", "grid", "work.split.axes[1]", split(func(s *wire.GridSplit) { s.Axes[1].Values = []wire.F64{1, 2, inf} })},
		{"a false count of values", "grid", "work.split.axes[1]", split(func(s *wire.GridSplit) { s.Axes[1].Count = 4 })},
		{"values and an end", "grid", "work.split.axes[1]", split(func(s *wire.GridSplit) { s.Axes[1].To = 1 })},
		{"too many values", "grid", "work.split.axes[1]", split(func(s *wire.GridSplit) {
			s.Axes[1].Values, s.Axes[1].Count = make([]wire.F64, MaxAxisValues+1), MaxAxisValues+1
		})},
		{"too many points", "grid", "work.split.axes", split(func(s *wire.GridSplit) {
			s.Axes[0].Count, s.Axes[2].Count = 1<<32-1, 1<<32-1
		})},
		{"another format", "records", "work.split.format", rec(func(s *wire.RecordsSplit) { s.Format = "tsv" })},
		{"an empty file", "records", "work.split.size", rec(func(s *wire.RecordsSplit) { s.Size = 0 })},
		{"a file that is too large", "records", "work.split.size", rec(func(s *wire.RecordsSplit) { s.Size = 1 << 50 })},
		{"no rows", "records", "work.split.rows", rec(func(s *wire.RecordsSplit) { s.Rows = 0 })},
		{"more rows than bytes", "records", "work.split.rows", rec(func(s *wire.RecordsSplit) { s.Rows = s.Size + 1 })},
		{"a quotation mark as delimiter", "records", "work.split", rec(func(s *wire.RecordsSplit) { s.Delimiter = '"' })},
		{"no columns", "records", "work.split.columns", rec(func(s *wire.RecordsSplit) { s.Columns, s.Names = nil, nil })},
		{"a quote that is a letter", "records", "work.split", rec(func(s *wire.RecordsSplit) { s.Quote = 'a' })},
		{"a comment that is a space", "records", "work.split", rec(func(s *wire.RecordsSplit) { s.Comment = ' ' })},
		{"a delimiter that is the quote", "records", "work.split", rec(func(s *wire.RecordsSplit) { s.Quote = s.Delimiter })},
		{"marks out of order", "records", "work.split", rec(func(s *wire.RecordsSplit) { s.Missing = []string{"b", "a"} })},
		{"a mark with a space", "records", "work.split", rec(func(s *wire.RecordsSplit) { s.Missing = []string{" a"} })},
		{"columns of lines", "records", "work.split", rec(func(s *wire.RecordsSplit) { s.Format = "lines" })},
		{"an input twice", "range", "work.inputs", func(m *M) { m.Work.Inputs = []wire.WorkInput{{Name: "a"}, {Name: "a"}} }},
		{"an input too large", "range", "work.inputs", func(m *M) { m.Work.Inputs = []wire.WorkInput{{Name: "a", Size: MaxInput + 1}} }},
		{"inputs too large for the memory", "range", "runItems", func(m *M) { m.Work.Inputs = []wire.WorkInput{{Name: "a", Size: 33 << 20}} }},
		{"a shape that is the usual one", "range", "work.returns", func(m *M) { m.Work.Returns = "f64" }},
		{"an unknown shape", "range", "work.returns", func(m *M) { m.Work.Returns = "u8" }},
		{"bytes for numbers", "range", "combine", func(m *M) { m.Work.Returns = "bytes" }},
		{"too many columns", "records", "work.split.columns", rec(func(s *wire.RecordsSplit) { s.Columns = make([]uint32, 257) })},
		{"a column too far right", "records", "work.split.columns[0]", rec(func(s *wire.RecordsSplit) { s.Columns[0] = 1 << 31 })},
		{"a column twice", "records", "work.split.columns[1]", rec(func(s *wire.RecordsSplit) { s.Columns[1] = s.Columns[0] })},
		{"a name missing", "records", "work.split.names", rec(func(s *wire.RecordsSplit) { s.Names = s.Names[:1] })},
		{"a name of ill-formed text", "records", "work.split.names[0]", rec(func(s *wire.RecordsSplit) { s.Names[0] = "\xff" })},
		{"a name twice", "records", "work.split.columns[1]", rec(func(s *wire.RecordsSplit) { s.Names[1] = s.Names[0] })},
		{"unknown combine", "grid", "combine", func(m *M) { m.Combine.Kind = "median" }},
		{"edges that fall", "grid", "combine", func(m *M) { m.Combine.Edges = []wire.F64{1, 0} }},
		{"an infinite edge", "grid", "combine", func(m *M) { m.Combine.Edges = []wire.F64{1, inf} }},
		{"edges of moments", "grid", "combine", func(m *M) { m.Combine.Kind = "moments" }},
		{"too many edges", "grid", "combine.edges", func(m *M) { m.Combine.Edges = make([]wire.F64, 1<<16+2) }},
		{"a table too large", "range", "combine", func(m *M) {
			m.Combine.Kind, m.Work.Split = "table", wire.RangeSplit{Items: MaxTableCells + 1}
		}},
		{"no copies", "grid", "policy.copies", func(m *M) { m.Policy.Copies = 0 }},
		{"too many copies", "grid", "policy.copies", func(m *M) { m.Policy.Copies = 17 }},
		{"too many oracles", "grid", "policy.oracles", func(m *M) { m.Policy.Oracles = make([]id.Peer, 17) }},
		{"an oracle of zeros", "grid", "policy.oracles", func(m *M) { m.Policy.Oracles = make([]id.Peer, 1) }},
		{"an oracle twice", "grid", "policy.oracles", func(m *M) { m.Policy.Oracles = []id.Peer{{1}, {1}} }},
		{"no grain", "grid", "grain", func(m *M) { m.Grain = 0 }},
		{"a grain too large", "grid", "grain", func(m *M) { m.Grain = MaxItems + 1 }},
		{"too many shards", "range", "grain", func(m *M) { m.Work.Split, m.Grain = wire.RangeSplit{Items: MaxItems}, 1 }},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			m := planned(t, c.base)
			if err := Validate(m); err != nil {
				t.Fatalf("the manifest before the change: %v", err)
			}
			c.change(&m)
			r, ok := diag.As(Validate(m))
			if !ok || r.Code != "job/manifest" || r.Detail("field") != c.field || r.Why == "" {
				t.Errorf("got %v, want job/manifest at %s", r, c.field)
			}
		})
	}
}

func FuzzValidate(f *testing.F) {
	for name := range idJobs {
		f.Add(planned(f, name).Append(nil))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.DecodeManifest(b)
		if err != nil {
			return
		}
		if err := Validate(m); err != nil {
			if r, ok := diag.As(err); !ok || r.Detail("field") == "" {
				t.Fatalf("not a refusal with a field: %v", err)
			}
			return
		}
		if string(m.Append(nil)) != string(b) {
			t.Fatal("encoding again gives other bytes")
		}
		items, shards := Items(m.Work.Split), Shards(m)
		if items == 0 || items > MaxItems || shards == 0 || shards > MaxShards {
			t.Fatalf("%d items in %d shards", items, shards)
		}
		first, n := Range(m, shards-1)
		if first+n != items || n == 0 {
			t.Fatalf("the last shard has %d of %d items from %d", n, items, first)
		}
		if err := FoldSpec(m).Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := Columns(m.Work, first, min(n, 3), []byte("1,2,3\n1,2,3\n"), nil)
		if err == nil && len(got) != int(min(n, 3))*ColumnCount(m.Work.Split) {
			t.Fatalf("%d columns for %d items", len(got), min(n, 3))
		}
		for _, v := range got {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("a column of %v", v)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, src := range idJobs {
		f.Add([]byte(src))
	}
	f.Add([]byte(`{"program": "sweep/sir", "split": {"grid": {"beta": [0, 1, 2], "gamma": {"values": [1]}}}, "params": {"days": 5}, "combine": "table"}`))
	f.Add([]byte(`{"program": "stats/columns", "split": {"records": {"file": "noheader.csv", "delimiter": ";", "header": false, "column": 1}}, "combine": "counts", "price": 1}`))
	cat := catalog.Builtin()
	f.Fuzz(func(t *testing.T, src []byte) {
		_, _ = Files(src)
		j, err := Parse(src, testFiles, cat, testOptions)
		if err != nil {
			if r, ok := diag.As(err); !ok || r.Why == "" || r.Fix == "" {
				t.Fatalf("%q: not a full refusal: %v", src, err)
			}
			return
		}
		m := j.Manifest
		if m.Grain == 0 {
			if m, err = WithGrain(m, Items(m.Work.Split)); err != nil {
				t.Fatalf("%q: %v", src, err)
			}
		}
		if err := Validate(m); err != nil {
			t.Fatalf("%q: its own manifest is refused: %v", src, err)
		}
		back, err := wire.DecodeManifest(m.Append(nil))
		if err != nil || ID(back) != ID(m) {
			t.Fatalf("%q: decodes as %+v, %v", src, back, err)
		}
		if len(j.Outputs) != int(m.Work.Outputs) || len(j.Columns) != ColumnCount(m.Work.Split) {
			t.Fatalf("%q: outputs %q, columns %q", src, j.Outputs, j.Columns)
		}
	})
}

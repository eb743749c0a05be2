package job

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

// hostOf holds the files of a job, each under its place from 1.
type hostOf struct {
	files []wire.File
	data  [][]byte
}

func hold(files ...wire.File) hostOf {
	var h hostOf
	for i, f := range files {
		h.data = append(h.data, f.Data)
		h.files = append(h.files, wire.File{Name: f.Name, Held: uint32(i + 1), Size: uint64(len(f.Data))})
	}
	return h
}

func (h hostOf) read(p Piece) []byte {
	return slices.Clone(h.data[p.Held-1][p.From : p.From+uint64(p.Bytes)])
}

// readAll answers a reading's questions, newest first if late is set.
func (h hostOf) readAll(r *Reading, late bool) error {
	var open []Piece
	for r.Job() == nil {
		for {
			p, ok := r.Want()
			if !ok {
				break
			}
			open = append(open, p)
		}
		if len(open) == 0 || len(open) > maxAhead {
			panic("a reading waits for " + strconv.Itoa(len(open)) + " pieces")
		}
		at := 0
		if late {
			at = len(open) - 1
		}
		p := open[at]
		open = slices.Delete(open, at, at+1)
		if err := r.Take(p, h.read(p)); err != nil {
			return err
		}
	}
	return nil
}

func numbers(name string, from, to int) wire.File {
	var b strings.Builder
	b.WriteString("n,text\n")
	for i := range to - from {
		b.WriteString(strconv.Itoa(from+i) + ",\"some text, to fill the line\"\n")
	}
	return wire.File{Name: name, Data: []byte(b.String())}
}

const heldJob = `{"program": {"module": "p.wasm"}, "inputs": {"i": {"file": "i.bin"}},
	"split": {"records": {"files": ["a.csv", "b.csv"], "column": "n"}}, "combine": "moments"}`

func TestAJobOfHeldFilesIsThatOfFilesAtHand(t *testing.T) {
	files := []wire.File{
		{Name: "p.wasm", Data: testModule},
		{Name: "i.bin", Data: []byte("input")},
		numbers("a.csv", 0, 150_000), numbers("b.csv", 150_000, 170_000),
	}
	want, err := Parse([]byte(heldJob), files, catalog.Builtin(), testOptions)
	if err != nil {
		t.Fatal(err)
	}
	h := hold(files...)
	for _, late := range []bool{false, true} {
		r, err := Begin([]byte(heldJob), h.files, catalog.Builtin(), testOptions)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.readAll(r, late); err != nil {
			t.Fatal(err)
		}
		got := r.Job()
		if !reflect.DeepEqual(got.Manifest, want.Manifest) || !reflect.DeepEqual(got.Inputs, want.Inputs) || string(got.Module) != string(want.Module) {
			t.Errorf("late %v: got %+v, want %+v", late, got.Manifest, want.Manifest)
		}
		if done, all := r.Progress(); done != all || all != uint64(len(files[2].Data)+len(files[3].Data)) {
			t.Errorf("read %d of %d bytes", done, all)
		}
		for _, span := range [][2]uint64{{0, 1}, {149_990, 20}, {149_999, 1}, {150_000, 1}, {0, 170_000}, {169_999, 1}} {
			var read [][]byte
			for _, p := range got.Input.Reads(span[0], span[1]) {
				read = append(read, h.read(p))
			}
			data, ok := got.Input.Cut(span[0], span[1], read)
			if !ok || string(data) != string(want.Input.Slice(span[0], span[1])) {
				t.Errorf("records from %d: %v, %d bytes", span[0], ok, len(data))
			}
		}
		if most, size := got.Input.MostRead(1000), uint64(1000*40); most < size/2 || most > size+2*firstSpan+1000 {
			t.Errorf("%d bytes are read for a shard", most)
		}
	}
	if _, err := Parse([]byte(heldJob), h.files, catalog.Builtin(), testOptions); !diag.Is(err, "job/missing-file") {
		t.Errorf("without a host: %v", err)
	}
}

func TestWhatIsWrongBesideALargeFileIsSaidEarly(t *testing.T) {
	h := hold(wire.File{Name: "p.wasm", Data: testModule}, numbers("a.csv", 0, 200_000))
	for _, c := range []struct{ name, job, code string }{
		{"a column", `"split": {"records": {"file": "a.csv", "column": "m"}}, "combine": "moments"`, "records/unknown-column"},
		{"the combine", `"split": {"records": {"file": "a.csv", "column": "n"}}, "combine": "momens"`, "catalog/unknown-combine"},
		{"the seed", `"split": {"records": {"file": "a.csv", "column": "n"}}, "combine": "moments", "seed": "x"`, "job/out-of-range"},
	} {
		r, err := Begin([]byte(`{"program": {"module": "p.wasm"}, `+c.job+`}`), h.files, catalog.Builtin(), testOptions)
		if err == nil {
			err = h.readAll(r, false)
		}
		if !diag.Is(err, c.code) {
			t.Errorf("%s: %v", c.name, err)
		}
		if done, all := r.Progress(); done > all/2 {
			t.Errorf("%s: said after %d of %d bytes", c.name, done, all)
		}
	}
}

func TestFilesThatDoNotBelongTogetherAreRefused(t *testing.T) {
	file := func(name, data string) wire.File { return wire.File{Name: name, Data: []byte(data)} }
	for _, c := range []struct{ name, records, code, says string }{
		{"another name", `"files": ["a", "c"], "column": "x"`, "records/files", `c: the columns "x, z" are not those of a, which are "x, y"`},
		{"a column more", `"files": ["a", "d"], "column": "x"`, "records/files", `d: the columns "x, y, z" are not those of a`},
		{"a record that is ragged", `"files": ["a", "e"], "column": "x"`, "records/ragged", "e: row 2 (line 3) has 1 field"},
		{"twice", `"files": ["a", "a"], "column": "x"`, "records/files", "twice"},
		{"file and files", `"file": "a", "files": ["b"], "column": "x"`, "records/files", "there is file already"},
		{"none", `"files": [], "column": "x"`, "job/out-of-range", "0 entries"},
		{"no file", `"column": "x"`, "job/missing-field", "file"},
		{"columns of lines", `"file": "a", "format": "lines", "column": "x"`, "records/format", "column is for CSV"},
		{"a quote that is text", `"file": "a", "column": "x", "quote": "ab"`, "records/dialect", "cannot stand around"},
		{"a quote that is true", `"file": "a", "column": "x", "quote": true`, "job/wrong-type", "a text"},
		{"a comment that is a letter", `"file": "a", "column": "x", "comment": "c"`, "records/dialect", "cannot begin a comment"},
		{"a quote that is the delimiter", `"file": "a", "column": "x", "delimiter": ";", "quote": ";"`, "records/dialect", "one character cannot stand for two things"},
		{"an unknown rule", `"file": "a", "column": "x", "missing": "skip"`, "records/missing-rule", `"skip"`},
		{"a mark twice", `"file": "a", "column": "x", "missing": "nan", "missingValues": ["a", "b", "a"]`, "records/missing-rule", "twice"},
		{"a mark with a space", `"file": "a", "column": "x", "missing": "nan", "missingValues": [" a"]`, "records/missing-rule", "no mark"},
		{"a mark that is a number", `"file": "a", "column": "x", "missing": "nan", "missingValues": [-999]`, "job/wrong-type", "a text"},
	} {
		src := `{"program": {"module": "p"}, "combine": "moments", "split": {"records": {` + c.records + `}}}`
		_, err := Parse([]byte(src), []wire.File{
			file("p", string(testModule)), file("a", "x,y\n1,2\n"), file("b", "x,y\n3,4"), file("c", "x,z\n1,2\n"), file("d", "x,y,z\n1,2,3\n"), file("e", "x,y\n1,2\n3\n"),
		}, catalog.Builtin(), testOptions)
		if !diag.Is(err, c.code) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %s: …%s…", c.name, err, c.code, c.says)
		}
	}
}

func TestInputsReachTheWork(t *testing.T) {
	files := []wire.File{
		{Name: "p", Data: testModule},
		{Name: "t", Data: []byte("a;b;label\n1;2;x\n3;NA;y\n")},
		{Name: "raw", Data: []byte("raw")},
		{Name: "none"},
		{Name: "same", Data: []byte("b,a\n2.0,1e0\n,3\n")},
	}
	parse := func(inputs string) (*Job, error) {
		return Parse([]byte(`{"program": {"module": "p"}, "split": {"range": 3}, "combine": "moments", "inputs": {`+inputs+`}}`), files, catalog.Builtin(), testOptions)
	}
	table := `{"file": "t", "format": "csv", "columns": ["b", 0], "delimiter": ";", "missing": "nan"}`
	j, err := parse(`"z": {"file": "raw"}, "t": ` + table + `, "a": {"file": "none"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]byte{nil, {
		2, 0, 0, 0, 2, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f,
		0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0, 0, 0, 0, 0, 0, 8, 0x40,
	}, []byte("raw")}
	if !reflect.DeepEqual(j.Inputs, want) {
		t.Errorf("got %v, want %v", j.Inputs, want)
	}
	for i, in := range j.Manifest.Work.Inputs {
		if in.Name != []string{"a", "t", "z"}[i] || in.Object != Object(want[i]) || in.Size != uint64(len(want[i])) {
			t.Errorf("input %d is %+v", i, in)
		}
	}
	again, err := parse(`"a": {"file": "none", "format": "bytes"}, "t": {"file": "same", "format": "csv", "missing": "nan"}, "z": {"file": "raw"}`)
	if err != nil || WorkID(again.Manifest.Work) != WorkID(j.Manifest.Work) {
		t.Errorf("the same numbers, spelled and ordered otherwise, make another work: %v", err)
	}
	if other, err := parse(`"a": {"file": "none"}, "z": {"file": "raw"}`); err != nil || WorkID(other.Manifest.Work) == WorkID(j.Manifest.Work) {
		t.Errorf("an input less makes the same work: %v", err)
	}
	for inputs, code := range map[string]string{
		`"a": {"file": "t", "format": "csv"}`:                            "records/not-a-number",
		`"a": {"file": "t", "format": "lines"}`:                          "records/format",
		`"a": {"file": "raw", "columns": [0]}`:                           "records/format",
		`"a": {"file": "t", "format": "csv", "columns": ["c"]}`:          "records/unknown-column",
		`"a": {"file": "t", "format": "csv", "columns": [true]}`:         "job/wrong-type",
		`"a": {"file": "other"}`:                                         "job/missing-file",
		`"a": {}`:                                                        "job/missing-field",
		`"a": "raw"`:                                                     "job/wrong-type",
		`"": {"file": "raw"}`:                                            "job/out-of-range",
		`"a": {"file": "raw", "fromat": "csv"}`:                          "job/unknown-field",
		`"a": {"file": "t", "format": "csv", "header": true, "file": 1}`: "job/duplicate-field",
	} {
		if _, err := parse(inputs); !diag.Is(err, code) {
			t.Errorf("%s: %v, want %s", inputs, err, code)
		}
	}
	// A table is taken whole, and its header still says what a column is called.
	if _, err := parse(`"a": {"file": "t", "format": "csv", "delimiter": ";", "missing": "nan"}`); err == nil || !strings.Contains(err.Error(), `column "label": "x" is not a number`) {
		t.Errorf("a column that nobody has chosen: %v", err)
	}
	src := `{"program": "mc/pi", "split": {"range": 3}, "combine": "moments", "inputs": {"a": {"file": "raw"}}}`
	if _, err := Parse([]byte(src), files, catalog.Builtin(), testOptions); !diag.Is(err, "catalog/inputs") {
		t.Errorf("an input of a program without any: %v", err)
	}
}

func TestEntriesSayWhichInputsAndFormatsTheyTake(t *testing.T) {
	p := catalog.Program{
		Name: "test/it", ID: catalog.ProgramID([]byte("it")), Title: "t", Doc: "d", Outputs: []catalog.Output{{Name: "o", Doc: "d"}},
		Splits: []string{"range", "records"}, Formats: []string{"fasta"}, RunItems: 8, Pages: 64,
		Inputs: []catalog.Input{{Name: "table", Doc: "d", Format: "csv"}, {Name: "raw", Doc: "d", Format: "bytes"}},
	}
	cat, err := catalog.Builtin().With(p)
	if err != nil {
		t.Fatal(err)
	}
	files := []wire.File{{Name: "c", Data: []byte("x\n1\n")}, {Name: "f", Data: []byte(">a\nAC\n")}}
	parse := func(split, inputs string) (*Job, error) {
		return Parse([]byte(`{"program": "test/it", "split": `+split+`, "combine": "moments", "inputs": {`+inputs+`}}`), files, cat, testOptions)
	}
	both := `"raw": {"file": "c"}, "table": {"file": "c"}`
	j, err := parse(`{"range": 1}`, both)
	if err != nil || j.Manifest.Work.Inputs[0].Name != "table" || len(j.Inputs[0]) != 16 || string(j.Inputs[1]) != "x\n1\n" {
		t.Errorf("%+v, %v", j, err)
	}
	if j, err = parse(`{"records": {"file": "f", "format": "fasta"}}`, both); err != nil || j.Manifest.Work.Split.(wire.RecordsSplit).Rows != 1 {
		t.Errorf("%+v, %v", j, err)
	}
	for _, c := range [][3]string{
		{`{"range": 1}`, `"raw": {"file": "c"}`, "catalog/inputs"},
		{`{"range": 1}`, both + `, "more": {"file": "c"}`, "catalog/inputs"},
		{`{"range": 1}`, `"raw": {"file": "c"}, "table": {"file": "c", "format": "bytes"}`, "records/format"},
		{`{"records": {"file": "c", "column": "x"}}`, both, "catalog/split-refused"},
		{`{"records": {"file": "f", "format": "lines"}}`, both, "catalog/split-refused"},
	} {
		if _, err := parse(c[0], c[1]); !diag.Is(err, c[2]) {
			t.Errorf("%s with %s: %v, want %s", c[0], c[1], err, c[2])
		}
	}
	p.Inputs[0].Format = "table"
	if _, err := catalog.Builtin().With(p); !diag.Is(err, "catalog/entry") {
		t.Errorf("an entry with another format: %v", err)
	}
}

func TestRecordsThatFitNoCallAreRefused(t *testing.T) {
	files := []wire.File{{Name: "p", Data: testModule}, {Name: "l", Data: []byte("short\n" + strings.Repeat("x", 600_000) + "\n")}}
	src := `{"program": {"module": "p"}, "split": {"records": {"file": "l", "format": "lines"}}, "combine": "moments", "limits": {"memory": 1}}`
	if _, err := Parse([]byte(src), files, catalog.Builtin(), testOptions); !diag.Is(err, "job/memory") {
		t.Errorf("got %v", err)
	}
}

func TestRecordsWithoutAnEndDoNotFillTheMemory(t *testing.T) {
	for quoted, code := range map[string]string{"": "records/too-large", "\"": "records/quotes"} {
		s := sheetOf("", layout{Delimiter: ','}, 0)
		err := s.take([]byte("1\n"+quoted), false)
		piece := make([]byte, 4<<20)
		for i := range piece {
			piece[i] = '1'
		}
		for n := 0; err == nil && n < 2*maxRecord; n += len(piece) {
			err = s.take(piece, false)
		}
		if !diag.Is(err, code) || !strings.Contains(err.Error(), "row 2") {
			t.Errorf("%q: %v", quoted, err)
		}
	}
	if _, err := records("1\n"+strings.Repeat("1", maxRecord)+"\n", layout{Format: formatLines}); !diag.Is(err, "records/too-large") {
		t.Errorf("a file at hand: %v", err)
	}
}

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/detmath"
	"shoal/sdk/fold"
	"shoal/sdk/guest"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/rng"
	"shoal/sdk/shard"
	"shoal/sdk/wire"
)

func TestTheIDIsTheSameEveryTime(t *testing.T) {
	first := ID()
	if again := ID(); again != first || first == (id.Engine{}) {
		t.Errorf("ids %s and %s", first, again)
	}
}

func TestWhateverDecidesBytesShowsInTheID(t *testing.T) {
	seen := map[id.Engine]string{ID(): "this engine"}
	for name, e := range map[string]id.Engine{
		"another ABI":       name(ABI+1, versions[:], guest.Semantics()),
		"another admission": name(ABI, versions[:], append(guest.Semantics(), 1)),
		"a package less":    name(ABI, versions[1:], guest.Semantics()),
		"two joined":        name(ABI, append([]string{versions[0] + versions[1]}, versions[2:]...), guest.Semantics()),
		"another version":   name(ABI, append([]string{"shoal-shard/3"}, versions[1:]...), guest.Semantics()),
	} {
		if other, ok := seen[e]; ok {
			t.Errorf("%s has the id of %s", name, other)
		}
		seen[e] = name
	}
}

// fingerprints are digests of what each package gives for the samples below. One
// that changes while the version stays would let peers that disagree meet: raise
// the version in engine.go, and put the new digest here.
var fingerprints = map[string]string{
	"shoal-shard/2":   "db7892f88aed05d4ff12147c8be156b6",
	"shoal-rng/1":     "4b1d671bc9b84bb535e96a718bf995ad",
	"shoal-detmath/1": "58b5cda7618ac196413f6722b60345a5",
	"shoal-fold/2":    "fb659f2f4ec0a4d376ec4cfea9a69edd",
	"shoal-columns/2": "a476df0d55ade717d550aacbf951d892",
	"shoal-wire/2":    "fbd81a2a939bbf92c47929d3f40aac02",
}

var samples = map[string]func(t *testing.T, h hash.Hash){
	"shoal-shard/2":   sampleShard,
	"shoal-rng/1":     sampleRNG,
	"shoal-detmath/1": sampleDetmath,
	"shoal-fold/2":    sampleFold,
	"shoal-columns/2": sampleColumns,
	"shoal-wire/2":    sampleWire,
}

func TestNoBitChangesWithoutItsVersion(t *testing.T) {
	for _, v := range versions {
		sample := samples[v]
		if sample == nil {
			t.Errorf("%s has no sample", v)
			continue
		}
		h := sha256.New()
		sample(t, h)
		if got := hex.EncodeToString(h.Sum(nil)[:16]); got != fingerprints[v] {
			t.Errorf("%s: fingerprint %s, want %s", v, got, fingerprints[v])
		}
	}
}

func put(h hash.Hash, values ...any) {
	for _, v := range values {
		if err := binary.Write(h, binary.LittleEndian, v); err != nil {
			panic(err)
		}
	}
}

func manifest(t *testing.T, src string) (*job.Job, wire.Manifest) {
	t.Helper()
	files := []wire.File{
		{Name: "m", Data: []byte("module")},
		{Name: "d", Data: []byte("a,b\n1,2\n-0,\"1e-3\"\n.5,7\n")},
		{Name: "e", Data: []byte("a;b\n#x\n3; '4'\n;NA\n")},
		{Name: "t", Data: []byte("\n>a\nAC\n>b\r\nGT\r\n>c")},
	}
	j, err := job.Parse([]byte(src), files, catalog.Builtin(), job.Options{Grain: 2})
	if err != nil {
		t.Fatal(err)
	}
	m := &j.Manifest // what has a default, which may change freely
	m.Work.Engine, m.Work.Pages, m.RunItems, m.Gas = id.Engine{1}, 64, 100, 1e6
	return j, j.Manifest
}

const (
	gridJob = `{"program": {"module": "m", "outputs": ["v", "w"]}, "split": {"grid": {"x": [0.1, 0.7, 4], "y": {"values": [3, -2]}}},
		"params": {"p": 0.3}, "combine": "table", "seed": 5}`
	recordsJob = `{"program": {"module": "m", "outputs": ["v"]}, "split": {"records": {"file": "d", "columns": ["b", "a"]}},
		"combine": {"histogram": {"edges": [0, 1, 2]}}}`
	dialectJob = `{"program": {"module": "m"}, "split": {"records": {"files": ["e"], "columns": [1, 0], "delimiter": ";", "quote": "\"",
		"comment": "#", "missing": "nan", "missingValues": ["NA", "", "'4'"]}}, "combine": "moments"}`
	textJob = `{"program": {"module": "m", "outputs": 2, "returns": "i64"}, "split": {"records": {"file": "t", "format": "fasta"}},
		"inputs": {"raw": {"file": "m"}, "csv": {"file": "d", "format": "csv", "columns": ["b"]}}, "combine": "moments"}`
)

func sampleWire(t *testing.T, h hash.Hash) {
	for _, src := range []string{gridJob, recordsJob, dialectJob, textJob} {
		_, m := manifest(t, src)
		h.Write(m.Append(nil))
		work, name := job.WorkID(m.Work), job.ID(m)
		h.Write(work[:])
		h.Write(name[:])
	}
}

func sampleColumns(t *testing.T, h hash.Hash) {
	for _, src := range []string{gridJob, recordsJob, dialectJob, textJob} {
		j, m := manifest(t, src)
		var input []byte
		n := job.Items(m.Work.Split)
		if j.Input != nil {
			input = j.Input.Slice(0, n)
		}
		cells, err := job.Columns(m.Work, 0, n, input, nil)
		if err != nil {
			t.Fatal(err)
		}
		put(h, cells)
		h.Write(input)
		for _, in := range j.Inputs {
			h.Write(in)
		}
	}
}

func sampleRNG(_ *testing.T, h hash.Hash) {
	key := rng.KeyFor(id.Work{1, 2, 3}, 7)
	put(h, key)
	for item := range uint64(20) {
		s := key.Item(item << 30)
		put(h, s.Uint64(), s.Unit(), s.OpenUnit(), s.Normal(), s.Uint64n(1000), s.Uint64n(3<<62))
	}
}

func sampleDetmath(_ *testing.T, h hash.Hash) {
	for i := range 200 {
		x := (float64(i) - 60) / 7
		put(h, detmath.Exp(x), detmath.Log(math.Abs(x)+0.01), detmath.Normal((float64(i)+0.5)/200))
	}
}

func sampleFold(t *testing.T, h hash.Hash) {
	rows := []float64{1, -2.5, 1e300, 5e-324, 0, math.Copysign(0, -1), math.NaN(), math.Inf(1), 3, 1, 0.1, 0.2}
	for _, s := range []fold.Spec{
		{Kind: fold.Moments, Columns: 2},
		{Kind: fold.Counts, Columns: 2},
		{Kind: fold.Histogram, Columns: 2, Edges: []float64{-3, 0, 0.2, 7}},
		{Kind: fold.Table, Columns: 2},
		{Kind: fold.Covariance, Columns: 2, Target: 1, SkipNaN: true},
		{Kind: fold.Quantiles, Columns: 2, Accuracy: 0.02, Probabilities: []float64{0, 0.3, 1}},
		{Kind: fold.Extremes, Columns: 2},
		{Kind: fold.Top, Columns: 2, Keep: 2, By: 1, Least: true},
		{Kind: fold.Sample, Columns: 2, Keep: 3, Key: rng.Key{6, 7}},
		{Kind: fold.Sum, Columns: 2, Bits: 39},
		{Kind: fold.Bytes, Columns: 1},
	} {
		f, err := fold.New(s)
		if err != nil {
			t.Fatal(err)
		}
		switch s.Kind {
		case fold.Bytes:
			err = f.AddBytes(10, [][]byte{[]byte("one"), nil, {0, 1, 255}})
		case fold.Sum:
			err = f.AddRows(10, []float64{1, -2.5, 0x1p-40, 3})
		default:
			err = f.AddRows(10, rows)
		}
		if err != nil {
			t.Fatal(err)
		}
		enc := f.Encode(nil)
		digest := fold.Digest(s, enc)
		v := f.Finish()
		h.Write(enc)
		h.Write(digest[:])
		h.Write(v.AppendJSON(nil))
	}
}

// program yields its frame's bytes as rows, as far as they go, and then traps.
type program struct {
	memory [1 << 16]byte
	gas    int64
	runs   int
}

func (p *program) Instantiate(id.Program) (shard.Instance, error) { return p, nil }
func (p *program) Has(fn string) bool                             { return fn != guest.ExportStart }
func (p *program) Gas() int64                                     { return p.gas }
func (p *program) SetGas(n int64)                                 { p.gas = n }
func (p *program) Stop() uint32                                   { return 0 }
func (p *program) Close()                                         {}
func (p *program) Read(ptr uint32, dst []byte) bool               { return copy(dst, p.memory[ptr:]) == len(dst) }

func (p *program) Write(ptr uint32, src []byte) bool { return copy(p.memory[ptr:], src) == len(src) }

func (p *program) Call(fn string, a, b uint32) (uint64, bool) {
	p.gas -= 7
	switch fn {
	case "alloc":
		return 512, false
	case "run":
		p.runs--
		n := binary.LittleEndian.Uint32(p.memory[a+16:])
		// The rows begin inside the frame, so that its bytes show in the result.
		return uint64(a+b-16*n)<<32 | uint64(16*n), p.runs == 0
	}
	return 0, false
}

func sampleShard(t *testing.T, h hash.Hash) {
	_, m := manifest(t, gridJob)
	m.RunItems, m.Grain = 1, 4
	tk := wire.Task{Job: job.ID(m), Module: m.Work.Program, Work: job.WorkID(m.Work), Manifest: m, First: 4, Items: 4}
	for _, runs := range []int{100, 3} {
		a := shard.Execute(&program{runs: runs}, tk)
		a.Why = "" // words may change
		h.Write(a.Append(nil))
	}
	j, m := manifest(t, textJob)
	m.Grain = 3
	for _, returns := range []string{"", "f32", "i64"} {
		m.Work.Returns = returns
		tk := wire.Task{Job: job.ID(m), Work: job.WorkID(m.Work), Manifest: m, Items: 3, Input: j.Input.Slice(0, 3), Inputs: j.Inputs}
		a := shard.Execute(&program{runs: 100}, tk)
		a.Why = ""
		h.Write(a.Append(nil))
	}
}

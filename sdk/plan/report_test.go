package plan

import (
	"reflect"
	"strings"
	"testing"
)

func TestReportCountsCopiesAndBytes(t *testing.T) {
	r := NewReport(Facts{
		Items: 1000, Grain: 300, Why: "because", One: Probe{1, 110}, Some: Probe{101, 1110},
		Columns: 2, Outputs: 3, Run: 64, Pages: 64, Gas: 1e9, Combine: "table",
		Module: 5000, Input: 10_000, Copies: 2, Workers: 2, Memory: 1 << 30,
	})
	want := Report{
		Items: 1000, Shards: 4, Grain: 300, Why: "because",
		ShardUnits: 100 + 10*300, Units: 2 * (4*100 + 1000*10), Measured: true,
		ModuleBytes: 5000, ShardInput: 2500, ShardResult: 64 + 300*3*8, MovedBytes: 2 * (10_000 + 4*(64+7200)),
		DeviceMemory: 2 * (64<<16 + 2500 + 7264), Fits: true,
	}
	got := r
	got.Memory, got.Regimes, got.Waits = "", nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestReportNamesRegimesAndReasons(t *testing.T) {
	tests := []struct {
		name  string
		facts Facts
		open  bool
		why   string
	}{
		{"private input", Facts{Items: 9, Input: 7, Copies: 2}, false, "not declared public"},
		{"public input", Facts{Items: 9, Input: 7, Public: true, Copies: 2}, true, "declared public"},
		{"no input", Facts{Items: 9, Copies: 2}, true, "no input to read"},
		{"one copy", Facts{Items: 9, Copies: 1}, false, "ask for 2 copies"},
		{"an oracle", Facts{Items: 9, Copies: 1, Oracle: true}, true, "every result is checked"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			g := NewReport(c.facts).Regimes
			if len(g) != 3 || !g[0].Allowed || !g[1].Allowed || g[0].Name != "own" || g[1].Name != "consortium" {
				t.Fatalf("regimes %+v: own and consortium take every job", g)
			}
			if g[2].Name != "open" || g[2].Allowed != c.open || !strings.Contains(g[2].Why, c.why) {
				t.Errorf("open: got %+v, want allowed %v because …%s…", g[2], c.open, c.why)
			}
		})
	}
}

func TestReportTellsWhatDoesNotFit(t *testing.T) {
	tests := []struct {
		name  string
		facts Facts
		fits  bool
		says  string
	}{
		{"unknown memory", Facts{Items: 1, Pages: 16}, true, "1,048,640 bytes here"},
		{"enough", Facts{Items: 1, Pages: 16, Workers: 4, Memory: 1 << 23}, true, "of the 8,388,608 that the device gives"},
		{"too little", Facts{Items: 1, Pages: 16, Workers: 4, Memory: 1 << 22}, false, "and the device gives 4,194,304"},
		{"a call too wide", Facts{Items: 1, Pages: 1, Run: 4097, Columns: 1}, false, "more than half"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			r := NewReport(c.facts)
			if r.Fits != c.fits || !strings.Contains(r.Memory, c.says) {
				t.Errorf("got %v, %q; want %v, …%s…", r.Fits, r.Memory, c.fits, c.says)
			}
		})
	}
}

func TestReportReadsAsLines(t *testing.T) {
	text := strings.Join(NewReport(Facts{
		Items: 20_000, Grain: 4096, Why: "so", One: Probe{1, 50}, Some: Probe{256, 12_800}, Outputs: 1, Run: 4096, Pages: 64,
		Combine: "moments", Module: 900, Copies: 2, Oracle: true,
	}).Lines(), "\n")
	for _, want := range []string{
		"20,000 items in 5 shards of up to 4,096 items\nso\n",
		"about 2,000,000 units in all, 204,800 units for a shard",
		"the program once: 900 bytes",
		"0 bytes of input and at most 6,208 bytes of result",
		"fits in memory: 1 program at once",
		"own pool: allowed",
		"each shard needs 2 equal results, so nothing counts before 1 other device takes part",
		"waits: a dispute waits for an oracle",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	alone := strings.Join(NewReport(Facts{Items: 1}).Lines(), "\n")
	if !strings.Contains(alone, "units are not known before") || !strings.Contains(alone, "waits for nothing") {
		t.Errorf("a job without probes and copies reads\n%s", alone)
	}
}

func TestReportOfHugeNumbersStops(t *testing.T) {
	const most = 1<<64 - 1
	r := NewReport(Facts{
		Items: most, Grain: most, One: Probe{1, most}, Some: Probe{2, most}, Columns: most, Outputs: most, Run: most,
		Pages: most, Combine: "table", Input: most, Copies: most, Workers: most,
	})
	if r.Shards != 1 || r.Units != most || r.MovedBytes != most || r.Fits {
		t.Errorf("got %+v", r)
	}
}

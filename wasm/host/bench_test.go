package host

import (
	"context"
	"os"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/engine"
	"shoal/sdk/guest"
	"shoal/sdk/job"
	"shoal/wasm/programs"
)

// BenchmarkShardInThePeerModule computes shards of a million points. PEER names
// another module to measure.
func BenchmarkShardInThePeerModule(b *testing.B) {
	for _, combine := range []string{"moments", "counts"} {
		b.Run(combine, func(b *testing.B) { benchmarkShard(b, combine) })
	}
}

func benchmarkShard(b *testing.B, combine string) {
	ctx := context.Background()
	peer, err := peerModule()
	if name := os.Getenv("PEER"); name != "" {
		peer, err = os.ReadFile(name)
	}
	if err != nil {
		b.Fatal(err)
	}
	c, err := NewCompute(ctx, Config{Peer: peer, CacheDir: DefaultCacheDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	module, _ := programs.Module("mc/pi")
	j, err := job.Parse([]byte(`{"program": "mc/pi", "split": {"range": 1000000}, "combine": "`+combine+`"}`), nil,
		catalog.Builtin(), job.Options{Engine: engine.ID(), Grain: 1_000_000})
	if err != nil {
		b.Fatal(err)
	}
	a, err := guest.Admit(module, guest.Policy{MaxPages: j.Manifest.Work.Pages, ExportRules: true})
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Load(ctx, j.Manifest.Work.Program, a.Bytes); err != nil {
		b.Fatal(err)
	}
	task := taskOf(j, 0)
	b.ResetTimer()
	for range b.N {
		a, err := c.Execute(ctx, task)
		if err != nil || a.Why != "" {
			b.Fatal(a.Why, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/item")
}

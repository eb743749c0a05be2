package fold

import (
	"encoding/binary"
	"math"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/rng"
)

// The bits were equal in four WebAssembly engines, over the normals of stream 0
// of the job of zeros, whose key an older tag derived.
func TestSumsOfAMillionNormalsHaveTheBitsOfEveryEngine(t *testing.T) {
	digest := id.Sum("pool-rng/v1", make([]byte, 32), make([]byte, 4))
	key := rng.Key{binary.LittleEndian.Uint32(digest[:]), binary.LittleEndian.Uint32(digest[4:])}
	f := empty(t, Spec{Kind: Moments, Columns: 1})
	rows := make([]float64, 1000)
	for first := uint64(0); first < 1_000_000; first += uint64(len(rows)) {
		for i := range rows {
			rows[i] = key.Normal(first+uint64(i), 0)
		}
		if err := f.AddRows(first, rows); err != nil {
			t.Fatal(err)
		}
	}
	c := &f.body.(*momentsBody).columns[0]
	c.carry()
	for k, want := range []uint64{0x4082b1f70e18a80f, 0x412e82cb17397e7b, 0x40b52931215e54e7, 0x4146d430c067eea6} {
		got := ratio(magnitude(c.sum(k+1)), whole(1), -1074*(k+1))
		if math.Float64bits(got) != want {
			t.Errorf("sum of powers %d = %v (%016x), want %016x", k+1, got, math.Float64bits(got), want)
		}
	}
}

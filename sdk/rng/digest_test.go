package rng

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"shoal/sdk/detmath"
)

// The digests were equal in four WebAssembly engines and in a native build, over
// 200,000 items of stream 0 of the job of zeros under an older tag.
func TestDrawsLogsAndNormalsHaveTheDigestsOfEveryEngine(t *testing.T) {
	k := derive("pool-rng/v1", make([]byte, 32), 0)
	tests := []struct {
		name string
		of   func(u uint64) float64
		want string
	}{
		{"unit", Unit, "7a96a286f79460ed"},
		{"log", func(u uint64) float64 { return detmath.Log(OpenUnit(u)) }, "e7c051d03732c266"},
		{"normal", func(u uint64) float64 { return detmath.Normal(OpenUnit(u)) }, "1937ae3fedce3fd2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := sha256.New()
			var b [8]byte
			for item := range uint64(200_000) {
				binary.LittleEndian.PutUint64(b[:], math.Float64bits(tt.of(k.Uint64(item, 0))))
				h.Write(b[:])
			}
			if got := hex.EncodeToString(h.Sum(nil)[:8]); got != tt.want {
				t.Errorf("digest = %s, want %s", got, tt.want)
			}
		})
	}
}

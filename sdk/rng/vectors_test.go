package rng

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"shoal/sdk/id"
)

// The vectors come from testdata/vectors.py, which shares no code with this
// package. They hold an older tag too: the construction is the same under any.
func TestDrawsAreThoseOfTheIndependentScript(t *testing.T) {
	file, err := os.Open("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	keys, draws, ours := 0, 0, 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := lines.Text()
		field := strings.Fields(line)
		work, err := id.Parse(field[2])
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		k := derive(field[1], work[:], scan[uint32](t, "%d", field[3]))
		if field[1] == tag {
			ours++
			if public := KeyFor(work, scan[uint32](t, "%d", field[3])); public != k {
				t.Errorf("%s: KeyFor = %08x, want %08x", line, public, k)
			}
		}
		switch field[0] {
		case "key":
			keys++
			want := Key{scan[uint32](t, "%x", field[4]), scan[uint32](t, "%x", field[5])}
			if k != want {
				t.Errorf("%s: key = %08x", line, k)
			}
		case "draw":
			draws++
			item, draw := scan[uint64](t, "%d", field[4]), scan[uint64](t, "%d", field[5])
			if got, want := k.Uint64(item, draw), scan[uint64](t, "%x", field[6]); got != want {
				t.Errorf("%s: Uint64 = %016x", line, got)
			}
			if got, want := k.Unit(item, draw), scan[float64](t, "%g", field[7]); got != want {
				t.Errorf("%s: Unit = %x", line, got)
			}
			if got, want := k.OpenUnit(item, draw), scan[float64](t, "%g", field[8]); got != want {
				t.Errorf("%s: OpenUnit = %x", line, got)
			}
			got, want := k.Normal(item, draw), scan[float64](t, "%g", field[9])
			if math.Abs(got-want) > 4*ulp(want) {
				t.Errorf("%s: Normal = %v", line, got)
			}
		default:
			t.Fatalf("%s: no such line", line)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if keys != 48 || draws != 480 || ours != 264 {
		t.Errorf("read %d keys and %d draws, %d of them with our tag; want 48, 480 and 264", keys, draws, ours)
	}
}

func scan[T any](t *testing.T, format, text string) T {
	t.Helper()
	var v T
	if _, err := fmt.Sscanf(text, format, &v); err != nil {
		t.Fatalf("%q as %s: %v", text, format, err)
	}
	return v
}

func ulp(x float64) float64 {
	x = math.Abs(x)
	return math.Nextafter(x, math.Inf(1)) - x
}

// Bits that another implementation of the same construction published, under the
// tag and the job it used.
func TestNormalsHaveThePublishedBits(t *testing.T) {
	var job [32]byte
	for i := range job {
		job[i] = byte(i)
	}
	tests := []struct {
		name       string
		stream     uint32
		item, draw uint64
		word, bits uint64
	}{
		{"first draw", 0, 0, 0, 0xaf26ae665656eee8, 0x3fdeaeff5fee59b8},
		{"second draw", 0, 0, 1, 0xf0012ee36c3460d6, 0x3ff88c5bed939ba2},
		{"second block", 0, 0, 2, 0xbdeac52d0ac112bb, 0x3fe4c57027a0f61d},
		{"second item", 0, 1, 0, 0x33cd70606f8887bd, 0xbfeaa9efd0108453},
		{"item past 2^32", 0, 1 << 32, 0, 0x5b4ceec5e306dd44, 0xbfd7844237162a9f},
		{"another stream", 1, 0, 0, 0x34a5b6c37435b611, 0xbfea4a828336cc64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := derive("pool-rng/v1", job[:], tt.stream)
			if got := k.Uint64(tt.item, tt.draw); got != tt.word {
				t.Errorf("Uint64(%d, %d) = %016x, want %016x", tt.item, tt.draw, got, tt.word)
			}
			if got := math.Float64bits(k.Normal(tt.item, tt.draw)); got != tt.bits {
				t.Errorf("Normal(%d, %d) = %016x, want %016x", tt.item, tt.draw, got, tt.bits)
			}
		})
	}
}

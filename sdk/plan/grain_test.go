package plan

import (
	"math/rand"
	"strings"
	"testing"
)

func TestGrainOfKnownJobs(t *testing.T) {
	const gas = 20_000_000_000
	tests := []struct {
		name  string
		in    Input
		grain uint64
		why   string
	}{
		{"one item", Input{Items: 1, Gas: gas, One: Probe{1, 900}, Some: Probe{1, 900}}, 1, "which is all of them: 1 shard in all"},
		{"little work stays in one shard", Input{Items: 1000, Gas: gas, One: Probe{1, 10}, Some: Probe{256, 2560}}, 1000, "which is all of them"},
		{
			"cheap items fill the target",
			Input{Items: 1e9, Run: 4096, Gas: gas, One: Probe{1, 100}, Some: Probe{256, 25_600}},
			499_712, "in whole calls of the program: 2,002 shards in all",
		},
		{
			"enough work for 32 shards",
			Input{Items: 3_200_000, Gas: gas, One: Probe{1, 100}, Some: Probe{256, 25_600}},
			100_000, "to have work for several devices: 32 shards",
		},
		{
			"not below the least work",
			Input{Items: 100_000, Gas: gas, One: Probe{1, 100}, Some: Probe{256, 25_600}},
			20_000, "5 shards",
		},
		{
			"heavy items go one by one",
			Input{Items: 50, Gas: gas, One: Probe{1, 1_000_000_000}, Some: Probe{2, 2_000_000_000}},
			1, "50 shards",
		},
		{
			"the gas limit comes last",
			Input{Items: 1 << 30, Gas: gas, One: Probe{1, 40_000_000}, Some: Probe{4, 160_000_000}},
			125, "to stay below a quarter of the gas limit",
		},
		{
			"at most 65,536 shards",
			Input{Items: 1 << 22, Gas: gas, One: Probe{1, 40_000_000}, Some: Probe{4, 160_000_000}},
			64, "because 65,536 shards are the most",
		},
		{
			"whole rows of a grid",
			Input{Items: 1_000_000, Row: 1000, Run: 64, Gas: gas, One: Probe{1, 3000}, Some: Probe{256, 768_000}},
			16_000, "in whole rows of the grid: 63 shards",
		},
		{
			"even parts of a row",
			Input{Items: 1_000_000, Row: 1000, Run: 64, Gas: gas, One: Probe{1, 60_000}, Some: Probe{256, 256 * 60_000}},
			500, "in even parts of a row of the grid: 2,000 shards",
		},
		{
			"a costly start makes longer shards",
			Input{Items: 1_000_000, Gas: gas, One: Probe{1, 100_001_000}, Some: Probe{256, 100_256_000}},
			400_000, "the start of a shard 100,000,000 units",
		},
		{
			"bytes are bounded",
			Input{Items: 10_000_000, Bytes: 4096, Gas: gas, One: Probe{1, 10}, Some: Probe{256, 2560}},
			1024, "to move no more than 4,194,304 bytes",
		},
		{"no items", Input{}, 1, "no items"},
		{"no probe", Input{Items: 5}, 1, "5 shards"},
		{"a probe that falls", Input{Items: 100, Gas: gas, One: Probe{1, 500}, Some: Probe{10, 400}}, 100, "40 units"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			grain, why := Grain(c.in)
			if grain != c.grain || !strings.Contains(why, c.why) {
				t.Errorf("Grain(%+v) = %d, %q\nwant %d, …%s…", c.in, grain, why, c.grain, c.why)
			}
			if again, why2 := Grain(c.in); again != grain || why2 != why {
				t.Errorf("a second call gives %d, %q", again, why2)
			}
		})
	}
}

func TestGrainKeepsItsBounds(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	size := func() uint64 { return r.Uint64() >> (1 + r.Intn(63)) }
	for range 200_000 {
		in := Input{
			Items: 1 + size()>>10, Row: size() >> 30, Run: size() >> 40, Gas: size(), Bytes: size() >> 30,
			One:  Probe{uint64(r.Intn(2)), size()},
			Some: Probe{uint64(r.Intn(257)), size()},
		}
		grain, why := Grain(in)
		if grain < 1 || grain > in.Items || why == "" {
			t.Fatalf("Grain(%+v) = %d, %q", in, grain, why)
		}
		c := line(in.One, in.Some)
		if u := c.units(grain); u > in.Gas/gasShare && grain > 1 {
			t.Fatalf("Grain(%+v) = %d: %d units are above a quarter of the gas limit", in, grain, u)
		}
		if shards := (in.Items-1)/grain + 1; shards > MostShards && c.units(grain+1) <= in.Gas/gasShare {
			t.Fatalf("Grain(%+v) = %d: %d shards", in, grain, shards)
		}
	}
}

func TestWhyIsOneSentenceWithNumbers(t *testing.T) {
	_, why := Grain(Input{Items: 3_200_000, Gas: 1e10, One: Probe{1, 1100}, Some: Probe{256, 26_600}})
	const want = "an item costs about 100 units and the start of a shard 1,000 units (measured on 256 items), so a shard has " +
		"100,000 items of about 10,001,000 units, to have work for several devices: 32 shards in all"
	if why != want {
		t.Errorf("got  %q\nwant %q", why, want)
	}
}

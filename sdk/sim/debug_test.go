package sim

import (
	"os"
	"strconv"
	"testing"
)

func TestDebugSeed(t *testing.T) {
	s, _ := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if s == 0 {
		t.Skip("no SEED")
	}
	c := newChaos(s, func(l string) { t.Log(l) })
	t.Log(c.run())
	k := c.peers[0]
	r := k.Runs[1]
	for _, h := range c.w.server.rooms {
		for _, j := range h.machine.Pool().Jobs() {
			cnt, _ := h.machine.Pool().Counts(j)
			t.Logf("%+v", cnt)
			for n := range r.Planned.Shards {
				for _, l := range k.machine.Story(1, n) {
					if l != "accepted and folded" {
						t.Log("owner", n, l)
					}
				}
				st := h.machine.Pool().Story(j, n)
				if len(k.machine.Story(1, n)) == 0 || k.machine.Story(1, n)[0] != "accepted and folded" {
					for _, l := range st {
						t.Log("pool", n, l)
					}
				}
			}
		}
	}
	for _, p := range c.peers {
		if p.Alive() {
			t.Log(p.machine.DebugSession(), int64(p.wake)/1e6)
			t.Log(p.Name, p.State, p.ID().Short(), p.offline, p.pipe != nil)
		}
	}
}

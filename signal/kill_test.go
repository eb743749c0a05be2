package signal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	ossignal "os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"shoal/sdk/id"
	"shoal/sdk/session"
	"shoal/sdk/wire"
)

// The test binary is also the server that is killed: with this variable it runs
// one, in the state directory that the variable names, and nothing else.
const (
	childDir    = "SHOAL_TEST_SERVER"
	childListen = "SHOAL_TEST_LISTEN"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir, os.Getenv(childListen)))
	}
	os.Exit(m.Run())
}

func child(dir, listen string) int {
	ctx, cancel := ossignal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	err := Up(ctx, UpConfig{
		Config: Config{StateDir: dir, AllowOpen: true, Limits: Limits{Window: 50 * time.Millisecond}}, Listen: listen,
		Ready: func(local, _ string) { fmt.Println(local) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// process is a server in a process of its own.
type process struct {
	t    testing.TB
	cmd  *exec.Cmd
	addr string
}

func start(t testing.TB, dir, listen string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(os.Args[0], "-test.run=^$")}
	p.cmd.Env = append(os.Environ(), childDir+"="+dir, childListen+"="+listen)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server does not start: %v", err)
	}
	u, err := url.Parse(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	p.addr = u.Host
	return p
}

// end ends the process and returns its exit status, −1 for a signal.
func (p *process) end(with syscall.Signal) int {
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Process.Signal(with)
		_ = p.cmd.Wait()
	}
	return p.cmd.ProcessState.ExitCode()
}

// A server that is killed at any moment, with kill -9 while a job runs, knows
// after a restart all that it ever told a peer, and the job ends as if nothing
// had happened.
func TestAKilledServerGoesOnWhereItWas(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir, "127.0.0.1:0")
	c := founded(t, p.addr, "", 2)
	members := []*member{c.join(t, p.addr, 0), c.join(t, p.addr, 1)}
	const shards = 600
	job := c.announce(1, shards)
	for _, m := range members {
		m.pool(wire.Offer{Slots: 8, Sync: true})
	}
	for round := 1; round <= 3; round++ {
		sealed := map[wire.Lease]bool{}
		settled := map[uint64]bool{}
		step := func() {
			for _, m := range members {
				for _, g := range told[wire.Grant](m) {
					if !sealed[g.Lease] {
						sealed[g.Lease] = true
						m.tryPool(wire.Sealed{Lease: g.Lease, Seal: seal(g.Lease)})
					}
				}
			}
			for _, h := range told[wire.Held](c.keeper) {
				if !settled[h.Lease.Shard] {
					settled[h.Lease.Shard] = true
					c.keeper.tryPool(wire.Settle{Job: job, Shards: []uint64{h.Lease.Shard}})
				}
			}
		}
		soon(t, "the job is at work", func() bool { step(); return len(settled) >= round*100 })
		if code := p.end(syscall.SIGKILL); code != -1 {
			t.Fatalf("round %d: the server ended by itself with %d", round, code)
		}
		everybody := append([]*member{c.keeper}, members...)
		for _, m := range everybody {
			m.waits("the loss", func(m *member) bool { return m.client.State() != session.Connected })
		}
		knows(t, dir, c, job, members)

		p = start(t, dir, p.addr)
		for _, m := range everybody {
			m.do(session.Start{})
			m.waits("the way back", func(m *member) bool { return m.client.State() == session.Connected && m.up == round+1 })
		}
		if c.keeper.look(func(m *member) bool { return m.resumed > 0 }) {
			t.Error("a stream of a server that was killed is gone on with")
		}
		c.announce(1, shards)
		for _, m := range members {
			m.pool(wire.Offer{Slots: 8, Sync: true, Holding: holding(m, settled)})
		}
	}
	c.work(t, job, shards, members...)
	if code := p.end(syscall.SIGTERM); code != 0 {
		t.Errorf("the server ended with %d", code)
	}
	st, err := openStore(dir, &metrics{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.close()
	snap, err := wire.DecodePoolSnapshot(onDisk(t, st, c.room))
	if err != nil || len(snap.Jobs) != 1 || snap.Jobs[0].Done == 0 {
		t.Fatalf("got %+v, %v", snap, err)
	}
}

// holding lists what a member has been granted of shards that are not settled.
func holding(m *member, settled map[uint64]bool) (out []wire.Lease) {
	for _, g := range told[wire.Grant](m) {
		if !settled[g.Lease.Shard] {
			out = append(out, g.Lease)
		}
	}
	return out
}

// tryPool is pool for a server that may be gone: the session keeps the message.
func (m *member) tryPool(msg wire.PoolUp) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.client.Send(m.now(), wire.ToPool{Message: msg}); err != nil && !errors.Is(err, session.ErrNotStarted) {
		m.t.Errorf("send %T: %v", msg, err)
	}
	m.drain()
}

// knows checks that a coordinator from disk knows all that peers were told.
func knows(t *testing.T, dir string, c *club, job id.Job, members []*member) {
	t.Helper()
	st, err := openStore(dir, &metrics{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.close()
	snap, err := wire.DecodePoolSnapshot(onDisk(t, st, c.room))
	if err != nil {
		t.Fatal(err)
	}
	if len(snap.Jobs) != 1 || snap.Jobs[0].Job != job {
		t.Fatalf("got jobs %+v, want the one that was confirmed", snap.Jobs)
	}
	j := snap.Jobs[0]
	type key struct {
		lease wire.Lease
		peer  id.Peer
	}
	attempts := map[key]wire.AttemptSnapshot{}
	for _, s := range j.Active {
		for _, a := range s.Attempts {
			attempts[key{wire.Lease{Job: job, Shard: s.Shard, Attempt: a.Attempt}, a.Peer}] = a
		}
	}
	settled := func(n uint64) bool { return j.Settled[n/8]>>(n%8)&1 == 1 }
	grants, helds := 0, 0
	for _, m := range members {
		for _, g := range told[wire.Grant](m) {
			grants++
			if _, ok := attempts[key{g.Lease, m.seed.peer()}]; !ok && !settled(g.Lease.Shard) {
				t.Fatalf("shard %d attempt %d was granted, and the disk does not know", g.Lease.Shard, g.Lease.Attempt)
			}
		}
	}
	for _, h := range told[wire.Held](c.keeper) {
		helds++
		if a, ok := attempts[key{h.Lease, h.Peer}]; !settled(h.Lease.Shard) && (!ok || a.Seal != h.Seal) {
			t.Fatalf("shard %d attempt %d was held, and the disk does not know", h.Lease.Shard, h.Lease.Attempt)
		}
	}
	t.Logf("killed after %d grants and %d claims; %d shards settled, %d active", grants, helds, j.Done, len(j.Active))
}

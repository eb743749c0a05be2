package pooled

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"shoal/js/e2e/browser"
	"shoal/js/e2e/command"
	"shoal/js/e2e/jobfile"
)

// lie makes a page whose every answer about mc/pi is wrong in a way that only
// another computation shows: points inside the quarter circle yield 3 where the
// program says 4. The page admits, meters, digests and signs as always.
const lie = `
	globalThis.patched = 0;
	const compile = WebAssembly.compile;
	WebAssembly.compile = (bytes) => {
		const b = new Uint8Array(bytes.buffer ?? bytes);
		const four = [0x44, 0, 0, 0, 0, 0, 0, 0x10, 0x40], three = [0x44, 0, 0, 0, 0, 0, 0, 0x08, 0x40]; // f64.const
		for (let i = 0; i + four.length <= b.length; i++) {
			if (four.every((x, k) => b[i + k] === x)) {
				b.set(three, i);
				patched++;
			}
		}
		return compile.call(WebAssembly, bytes);
	};`

// doubtful is a job whose shards count when two devices agree.
func doubtful(seed int) jobfile.Job {
	return jobfile.Job{Name: "a job in doubt", Source: []byte(fmt.Sprintf(
		`{"program": "mc/pi", "split": {"range": 3000000}, "combine": "moments", "seed": %d, "grain": 20000}`, seed))}
}

func TestALiarIsFoundOutByAThirdDeviceAndOnlyByOne(t *testing.T) {
	outer := t
	srv := up(t)
	link := srv.invite(t)
	owner := srv.page(t, browser.Chromium, link, "")
	liar := srv.page(t, browser.Firefox, link, lie).lend()
	owner.until("pool.peers.filter((p) => p.online).length >= 3") // the server's keeper is one

	t.Run("two devices that disagree settle nothing", func(t *testing.T) {
		owner := owner.with(t)
		owner.submit(copies(t, doubtful(1), 2))
		owner.until("seen.disputed > 0 && current.progress.waiting === 'second-peer'")
		liar.until("patched > 0")
		// Nothing may ever come of it. That can only be watched for a while.
		owner.notWithin(3*time.Second, "current.progress.settled > 0 || current.progress.state !== 'running'")
		var said string
		owner.eval("current.explain()", &said)
		if !strings.Contains(said, "waits for another independent peer") {
			t.Errorf("the run says:\n%s", said)
		}
	})
	t.Run("a third device settles it", func(t *testing.T) {
		owner := owner.with(t)
		want := alone(t, doubtful(1))
		srv.headless(outer)
		got := owner.result()
		equal(t, "with a third device", got, want)
		if got.Settled[liar.key] > 0 {
			t.Errorf("%d shards that count are the liar's", got.Settled[liar.key])
		}
	})
	t.Run("who is caught gets nothing more of the job", func(t *testing.T) {
		owner := owner.with(t)
		j := doubtful(3)
		want := alone(t, j)
		owner.submit(copies(t, j, 2))
		got := owner.result()
		equal(t, "with a third device from the beginning", got, want)
		if n := got.Leased[liar.key]; got.Disputed == 0 || n == 0 || n > int(got.Shards)/4 || got.Settled[liar.key] > 0 {
			t.Errorf("the liar was leased %d of %d shards, %d were disputed, and %d of its answers count",
				n, got.Shards, got.Disputed, got.Settled[liar.key])
		}
	})
}

func TestTheCommandSaysThatItWaitsForAnotherIndependentPeer(t *testing.T) {
	// Progress is for terminals.
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip(err)
	}
	srv := up(t)
	j := doubtful(2)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, script, "-qec",
		command.Build(t)+" run "+copies(t, j, 2).Write(t)+" --pool "+srv.url, os.DevNull)
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var text strings.Builder
	read := make(chan struct{})
	go func() {
		defer close(read)
		b := make([]byte, 4096)
		for {
			n, err := out.Read(b)
			mu.Lock()
			text.Write(b[:n])
			mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	said := func() string {
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(said(), "waiting for another independent peer") {
		select {
		case <-tick.C:
		case <-read:
			t.Fatalf("it ended and said:\n%s", said())
		case <-ctx.Done():
			t.Fatalf("it says:\n%s", said())
		}
	}
	select {
	case <-read:
		t.Fatalf("one device settled what needs two:\n%s", said())
	case <-time.After(2 * time.Second): // it could be watched for ever
	}
	srv.headless(t)
	<-read
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v:\n%s", err, said())
	}
	if want := alone(t, j); !strings.Contains(said(), "digest "+want.Digest) {
		t.Errorf("it said:\n%s\nwant the digest %s", said(), want.Digest)
	}
}

// notWithin fails the test if a condition comes true while it is watched.
func (m *member) notWithin(d time.Duration, src string) {
	m.t.Helper()
	late := time.Now().Add(d)
	for time.Now().Before(late) {
		var is bool
		m.eval("!!("+src+")", &is)
		if is {
			m.t.Fatalf("%s came true", src)
		}
	}
}

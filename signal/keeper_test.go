package signal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/id"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

func TestTheKeeperAdmitsWhoeverHasItsLink(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, Config{StateDir: dir, Keeper: "http://127.0.0.1:1/"})
	code, body := s.get("/v1/invite", nil)
	var got struct{ URL string }
	if err := json.Unmarshal([]byte(body), &got); code != 200 || err != nil {
		t.Fatalf("got %d %q", code, body)
	}
	_, inv, err := trust.ParseInvite(got.URL)
	if err != nil || !strings.HasPrefix(got.URL, "http://127.0.0.1:1/#join=") {
		t.Fatalf("got %q, %v", got.URL, err)
	}
	a := newDevice(t, "laptop")
	joined(t, s, a)
	a.mu.Lock()
	labels := map[string]bool{}
	for _, p := range a.pool.Peers {
		labels[p.Label] = true
	}
	a.mu.Unlock()
	if !labels["laptop"] || !labels["this server"] {
		t.Errorf("the roster has %v", labels)
	}

	// Who knows the room and not the secret is not admitted.
	forged := inv
	forged.Secret[0]++
	link, err := trust.FormatInvite("http://"+s.addr+"/", forged)
	if err != nil {
		t.Fatal(err)
	}
	thief := newDevice(t, "thief")
	thief.feed(wire.JoinPool{URL: link})
	thief.waits("a no", func() bool { return thief.pool.State == "left" })
	if thief.look(func() bool { return len(thief.refused) != 1 || thief.refused[0].Code != "link/invite" }) {
		t.Errorf("got %+v, want link/invite", thief.refused)
	}
	b := newDevice(t, "phone")
	joined(t, s, b)
	b.look(func() bool {
		for _, p := range b.pool.Peers {
			if p.Label == "thief" {
				t.Error("a device without the secret was admitted")
			}
		}
		return true
	})

	// After a restart the pool is the same one, and its members are still in.
	room := inv.Room
	var known id.Room
	a.look(func() bool { known = a.pool.Room; return true })
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	s = serve(t, Config{StateDir: dir, Keeper: "http://127.0.0.1:1/"})
	url, err := s.keeper.invite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, again, err := trust.ParseInvite(url)
	if err != nil || again.Room != room || again.Keeper != inv.Keeper || known != room {
		t.Errorf("the pool is another one after a restart (%v)", err)
	}
	if again.Secret == inv.Secret {
		t.Error("the old link works for ever")
	}
}

func (d *device) look(done func() bool) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return done()
}

// A room of the keeper's that cannot be served any more must not leave the
// machine without a pool.
func TestTheKeeperOpensAnotherPoolWhenItsOwnIsLost(t *testing.T) {
	s := serve(t, Config{Keeper: "http://127.0.0.1:1/"})
	url, err := s.keeper.invite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, inv, err := trust.ParseInvite(url)
	if err != nil {
		t.Fatal(err)
	}
	s.inspect(inv.Room, func(*hosted) { panic("room: bug: for the test") })
	soon(t, "another pool", func() bool {
		url, err := s.keeper.invite(t.Context())
		if err != nil {
			return false
		}
		_, now, err := trust.ParseInvite(url)
		return err == nil && now.Room != inv.Room
	})
}

// What the devices of a pool compute passes through the server, and is nowhere in
// what it reads, writes or keeps.
func TestTheServerSeesNothingOfAJobsInputsAndResults(t *testing.T) {
	var seen tapBuffer
	s := serve(t, Config{Keeper: "http://127.0.0.1:1/", Tap: &seen})
	owner, worker := newDevice(t, "owner"), newDevice(t, "worker")
	joined(t, s, owner, worker)
	worker.feed(wire.Lend{Gesture: true})

	const rows = 4000
	values := make([]float64, rows)
	file := []byte("temperature-canary\n")
	for i := range values {
		values[i] = 1e6 + float64(i)*1.000244140625
		file = append(strconv.AppendFloat(file, values[i], 'f', -1, 64), '\n')
	}
	job := `{"program":"stats/columns","split":{"records":{"file":"secret-canary.csv","format":"csv","column":"temperature-canary"}},
		"combine":"table","grain":40}`
	owner.feed(wire.Submit{Run: 1, Job: []byte(job), Files: []wire.File{{Name: "secret-canary.csv", Data: file}}, Pooled: true})
	owner.waits("the result", func() bool { return owner.ended != nil || len(owner.refused) > 0 })
	if len(owner.refused) > 0 {
		t.Fatalf("refused: %+v", owner.refused[0])
	}
	if n := worker.tasks; n == 0 {
		t.Fatal("the other device computed nothing, so that nothing passed the server")
	}
	if got := string(owner.ended.Value); !strings.Contains(got, strconv.FormatFloat(values[17], 'f', -1, 64)) {
		t.Fatalf("the result lacks a row: %.200s", got)
	}
	if s.relay.Counts().BytesOut < 8*rows/2 {
		t.Fatalf("only %d bytes were relayed", s.relay.Counts().BytesOut)
	}
	if err := s.end(); err != nil {
		t.Fatal(err)
	}
	disk := readFile(t, s.cfg.StateDir+"/"+fileName)
	for where, bytesSeen := range map[string][]byte{"on the line": seen.bytes(), "on disk": disk} {
		// The search itself works: what must show does.
		if peer := owner.machine.Self(); !bytes.Contains(bytesSeen, peer[:]) {
			t.Fatalf("%s: not even a device's key is found", where)
		}
		for _, word := range []string{"canary", "stats/columns", "mc/pi", "temperature"} {
			if bytes.Contains(bytesSeen, []byte(word)) {
				t.Errorf("%s: %q shows", where, word)
			}
		}
		for i, v := range values {
			text := strconv.FormatFloat(v, 'f', -1, 64)
			little := binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))
			big := binary.BigEndian.AppendUint64(nil, math.Float64bits(v))
			if (len(text) > 8 && bytes.Contains(bytesSeen, []byte(text))) || bytes.Contains(bytesSeen, little) || bytes.Contains(bytesSeen, big) {
				t.Fatalf("%s: row %d shows", where, i)
			}
		}
		if ended := owner.ended; bytes.Contains(bytesSeen, ended.Digest[:]) || bytes.Contains(bytesSeen, ended.Work[:]) {
			t.Errorf("%s: the result's digest or the work's name shows", where)
		}
	}
}

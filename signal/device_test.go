package signal

import (
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/catalog"
	"shoal/sdk/id"
	"shoal/sdk/peer"
	"shoal/sdk/shard"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// device is a whole peer on a real connection. Its programs are stats/columns
// alone, written in Go: it yields the columns as they are.
type device struct {
	t       testing.TB
	start   time.Time
	header  http.Header
	changed chan struct{}
	wait    sync.WaitGroup

	mu      sync.Mutex
	machine *peer.Machine
	ws      map[uint32]*websocket.Conn
	timer   *time.Timer
	stopped bool
	pool    wire.PoolNow
	ended   *wire.RunEnded
	refused []wire.Refusal
	tasks   int
}

func newDevice(t testing.TB, label string) *device {
	t.Helper()
	d := &device{
		t: t, start: time.Now(), changed: make(chan struct{}, 1), ws: map[uint32]*websocket.Conn{},
		machine: peer.New(peer.Config{Engine: theEngine, Catalog: catalog.Builtin(), Module: programs.Module}),
	}
	d.timer = time.AfterFunc(time.Hour, func() { d.feed(wire.Woken{}) })
	boot := wire.Boot{Entropy: make([]byte, 64), Workers: 1, Label: label, Kind: "test"}
	_, _ = rand.Read(boot.Entropy)
	d.feed(boot)
	t.Cleanup(d.stop)
	return d
}

func (d *device) stop() {
	d.mu.Lock()
	d.stopped = true
	d.timer.Stop()
	for _, ws := range d.ws {
		_ = ws.Close()
	}
	d.mu.Unlock()
	d.wait.Wait()
}

func (d *device) feed(ev wire.Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.step(ev)
}

func (d *device) step(ev wire.Event) {
	if d.stopped {
		return
	}
	if err := d.machine.Handle(tick.Time(time.Since(d.start)), ev); err != nil {
		d.t.Errorf("%T: %v", ev, err)
	}
	var then []wire.Event
	for {
		e, ok := d.machine.Poll()
		if !ok {
			break
		}
		if ev := d.perform(e); ev != nil {
			then = append(then, ev)
		}
	}
	select {
	case d.changed <- struct{}{}:
	default:
	}
	for _, ev := range then {
		d.step(ev)
	}
}

// perform does what the peer asks for, and returns the answer if there is one at
// once.
func (d *device) perform(e wire.Effect) wire.Event {
	switch e := e.(type) {
	case wire.Compile:
		return wire.Compiled{Program: e.Program}
	case wire.Assign:
		t, err := wire.DecodeTask(e.Task)
		if err != nil {
			d.t.Errorf("task: %v", err)
			return nil
		}
		d.tasks++
		return wire.Computed{Worker: e.Worker, Answer: shard.Execute(columns{}, t).Append(nil)}
	case wire.Store:
		return wire.Stored{Key: e.Key}
	case wire.Dial:
		d.wait.Go(func() { d.dial(e) })
	case wire.Transmit:
		if ws := d.ws[e.Conn]; ws != nil {
			_ = ws.WriteMessage(websocket.BinaryMessage, e.Data)
		}
	case wire.Hangup:
		if ws := d.ws[e.Conn]; ws != nil {
			_ = ws.Close()
		}
	case wire.Wake:
		if tick.Time(e.At) != tick.Never {
			d.timer.Reset(max(0, time.Duration(e.At)-time.Since(d.start)))
		}
	case wire.PoolNow:
		d.pool = e
	case wire.RunEnded:
		d.ended = &e
	case wire.PoolRefusal:
		d.refused = append(d.refused, e.Refusal)
	case wire.RunRefused:
		d.refused = append(d.refused, e.Refusal)
	}
	return nil
}

func (d *device) dial(e wire.Dial) {
	ws, _, err := websocket.DefaultDialer.Dial(e.URL, d.header)
	if err != nil {
		d.feed(wire.Closed{Conn: e.Conn, Why: err.Error()})
		return
	}
	defer ws.Close()
	d.mu.Lock()
	d.ws[e.Conn] = ws
	stopped := d.stopped
	d.mu.Unlock()
	if stopped {
		return
	}
	d.feed(wire.Opened{Conn: e.Conn})
	for {
		_, data, err := ws.ReadMessage()
		if err != nil {
			d.feed(wire.Closed{Conn: e.Conn, Why: "closed"})
			return
		}
		d.feed(wire.Received{Conn: e.Conn, Data: data})
	}
}

func (d *device) waits(what string, done func() bool) {
	d.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		d.mu.Lock()
		ok := done()
		d.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-d.changed:
		case <-deadline.C:
			d.t.Fatalf("not within %s: %s; pool %s, refused %v", patience, what, d.pool.State, d.refused)
		}
	}
}

// columns is stats/columns as a Go program. Any metering will do, as long as all
// devices have the same.
type columns struct{}

func (columns) Instantiate(id.Program) (shard.Instance, error) {
	return &columnsInstance{memory: make([]byte, 1<<20)}, nil
}

type columnsInstance struct {
	memory []byte
	gas    int64
}

func (c *columnsInstance) Has(fn string) bool { return fn == "alloc" || fn == "run" }

func (c *columnsInstance) Call(fn string, a, b uint32) (uint64, bool) {
	c.gas -= 1000
	if fn == "alloc" {
		return 16, false
	}
	frame := c.memory[a : a+b]
	items, params := binary.LittleEndian.Uint32(frame[16:]), binary.LittleEndian.Uint32(frame[20:])
	keys, n := binary.LittleEndian.Uint32(frame[24:]), binary.LittleEndian.Uint32(frame[28:])
	return uint64(a+40+8*keys+8*params)<<32 | uint64(8*items*n), false
}

func (c *columnsInstance) Gas() int64       { return c.gas }
func (c *columnsInstance) SetGas(gas int64) { c.gas = gas }
func (c *columnsInstance) Stop() uint32     { return 0 }
func (c *columnsInstance) Close()           {}

func (c *columnsInstance) Read(ptr uint32, dst []byte) bool {
	return uint64(ptr)+uint64(len(dst)) <= uint64(len(c.memory)) && copy(dst, c.memory[ptr:]) == len(dst)
}

func (c *columnsInstance) Write(ptr uint32, src []byte) bool {
	return uint64(ptr)+uint64(len(src)) <= uint64(len(c.memory)) && copy(c.memory[ptr:], src) == len(src)
}

// joined opens a pool with the server's keeper and lets devices in.
func joined(t testing.TB, s *running, devices ...*device) {
	t.Helper()
	url, err := s.keeper.invite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The link names the page's address, which in these tests is only known
	// after the server has started.
	_, code, _ := strings.Cut(url, "#")
	for _, d := range devices {
		d.feed(wire.JoinPool{URL: "http://" + s.addr + "/#" + code})
	}
	for _, d := range devices {
		d.waits("joined", func() bool { return d.pool.State == "joined" })
	}
}

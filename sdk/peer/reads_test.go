package peer

import (
	"strings"
	"testing"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// answer answers what a device asks of a file, and reports whether there was
// anything.
func (d *device) answer(data []byte, why string) bool {
	d.b.t.Helper()
	reads := told[wire.Read](d)
	for i := range reads { // the newest first
		e := reads[len(reads)-1-i]
		if why != "" {
			d.feed(wire.ReadDone{Ticket: e.Ticket, Why: why})
			continue
		}
		d.feed(wire.ReadDone{Ticket: e.Ticket, Data: data[min(e.From, uint64(len(data))):min(e.From+uint64(e.Bytes), uint64(len(data)))]})
	}
	return len(reads) > 0
}

// held makes the file of a submission one that the host holds.
func held(ev wire.Submit) (wire.Submit, []byte) {
	data := ev.Files[0].Data
	ev.Files = []wire.File{{Name: ev.Files[0].Name, Held: 3, Size: uint64(len(data))}}
	return ev, data
}

func TestAHeldFileGivesTheDigestOfTheSameBytes(t *testing.T) {
	b := newBench(t, "a", "b")
	b.gather()
	a := b.devices[0]
	a.feed(fileJob(200, 40_000, 10))
	b.pass(10 * tick.Second)
	want := told[wire.RunEnded](a)
	submit, data := held(fileJob(200, 40_000, 10))
	a.feed(submit)
	for range 20 {
		for a.answer(data, "") {
			b.settle()
		}
		b.pass(tick.Second)
	}
	got := told[wire.RunEnded](a)
	if len(want) != 1 || len(got) != 1 || got[0].Digest != want[0].Digest || got[0].Job != want[0].Job {
		t.Fatalf("held %+v, at hand %+v; refused %+v", got, want, told[wire.RunRefused](a))
	}
	if r := told[wire.Release](a); len(r) != 1 || r[0].Held != 3 {
		t.Errorf("released %+v", r)
	}
	if n := len(a.m.reads); n != 0 {
		t.Errorf("%d reads are remembered", n)
	}
}

func TestReadingTellsHowFarItIs(t *testing.T) {
	b := newBench(t, "a")
	a := b.devices[0]
	submit, data := held(fileJob(200, 100_000, 10))
	submit.Pooled = false
	a.feed(submit)
	var said []string
	for {
		for _, p := range told[wire.RunProgress](a) {
			if p.Waiting != "" && p.Shards == 0 {
				said = append(said, p.Waiting)
			}
		}
		reads := told[wire.Read](a)
		if len(told[wire.Compile](a)) > 0 || len(reads) == 0 {
			break
		}
		if len(reads) > 2 {
			t.Fatalf("%d reads at once", len(reads))
		}
		b.now = b.now.Add(tick.Second)
		for _, e := range reads {
			a.feed(wire.ReadDone{Ticket: e.Ticket, Data: data[e.From : e.From+uint64(e.Bytes)]})
		}
	}
	if len(said) < 5 || said[0] != "the file, 0 % read" || !strings.HasPrefix(said[len(said)-1], "the file, 9") {
		t.Errorf("it says %q", said)
	}
}

func TestReadsThatFailOrLieEndTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		done func(wire.Read, []byte) wire.ReadDone
		says string
	}{
		"failed":    {func(e wire.Read, _ []byte) wire.ReadDone { return wire.ReadDone{Ticket: e.Ticket, Why: "no such file"} }, "f: no such file"},
		"too short": {func(e wire.Read, d []byte) wire.ReadDone { return wire.ReadDone{Ticket: e.Ticket, Data: d[:e.Bytes-1]} }, "f: the file has changed"},
	} {
		for _, early := range []bool{true, false} {
			b := newBench(t, "a")
			a := b.devices[0]
			submit, data := held(fileJob(200, 1000, 10))
			submit.Pooled = false
			a.feed(submit)
			if !early {
				a.answer(data, "")
				b.settle()
			}
			reads := told[wire.Read](a)
			if len(reads) == 0 {
				t.Fatalf("%s: nothing is read", name)
			}
			a.feed(c.done(reads[0], data))
			r := told[wire.RunRefused](a)
			if len(r) != 1 || r[0].Refusal.Code != "records/read-failed" || !strings.Contains(r[0].Refusal.Why, c.says) || r[0].Started == early {
				t.Errorf("%s, early %v: %+v", name, early, r)
			}
			if len(told[wire.Release](a)) != 1 {
				t.Errorf("%s, early %v: the file is not released once", name, early)
			}
			for _, e := range reads { // answers that come later are for nobody
				a.feed(wire.ReadDone{Ticket: e.Ticket, Data: make([]byte, e.Bytes)})
			}
			if again := told[wire.RunRefused](a); len(again) != 0 {
				t.Errorf("%s, early %v: refused again: %+v", name, early, again)
			}
		}
	}
}

func TestFilesOfARefusedSubmissionAreReleased(t *testing.T) {
	b := newBench(t, "a")
	a := b.devices[0]
	submit, _ := held(fileJob(20, 100, 10))
	submit.Job = []byte(`{"program":"mc/po"}`)
	submit.Pooled = false
	a.feed(submit)
	if r, n := told[wire.RunRefused](a), len(told[wire.Release](a)); len(r) != 1 || n != 1 || len(told[wire.Read](a)) != 0 {
		t.Errorf("refused %+v, released %d", r, n)
	}
}

func TestAShardThatIsTooLargeToReadIsRefused(t *testing.T) {
	b := newBench(t, "a")
	a := b.devices[0]
	const size = 300 << 20
	a.feed(wire.Submit{
		Run: 1, Files: []wire.File{{Name: "f", Held: 1, Size: size}},
		Job: []byte(`{"program":"stats/columns","split":{"records":{"file":"f","column":0,"header":false}},"combine":"moments","grain":1000000000}`),
	})
	line := []byte("1" + strings.Repeat(" ", 62) + "\n") // a number, as wide as a line can be
	piece := []byte(strings.Repeat(string(line), 2<<20/len(line)))
	for {
		reads := told[wire.Read](a)
		if len(reads) == 0 {
			break
		}
		for _, e := range reads {
			a.feed(wire.ReadDone{Ticket: e.Ticket, Data: piece[:e.Bytes]})
		}
	}
	b.settle()
	if r := told[wire.RunRefused](a); len(r) != 1 || r[0].Refusal.Code != "records/shard-too-large" {
		t.Errorf("refused %+v", r)
	}
}

func TestAWorkerGetsTheInputsOnce(t *testing.T) {
	b := newBench(t, "a")
	a := b.devices[0]
	a.idle = true
	module, _ := programs.Module("mc/pi")
	a.feed(wire.Submit{
		Run: 1, Files: []wire.File{{Name: "m", Data: module}, {Name: "i", Data: []byte("input")}},
		Job: []byte(`{"program":{"module":"m"},"split":{"range":100},"combine":"moments","grain":10,"inputs":{"i":{"file":"i"}}}`),
	})
	b.settle()
	inputs := func() int {
		t.Helper()
		if len(a.tasks) != 1 {
			t.Fatalf("%d tasks are under way", len(a.tasks))
		}
		task, err := wire.DecodeTask(a.tasks[0].Task)
		if err != nil {
			t.Fatal(err)
		}
		return len(task.Inputs)
	}
	for i, want := range []int{1, 0, 0} {
		if got := inputs(); got != want {
			t.Errorf("task %d has %d inputs, want %d", i, got, want)
		}
		a.compute()
		b.settle()
	}
	// A new worker has nothing.
	a.tasks = nil
	a.feed(wire.WorkerLost{Worker: 0, Why: "test"})
	b.settle()
	if got := inputs(); got != 1 {
		t.Errorf("a new worker gets %d inputs", got)
	}
	a.compute()
	b.settle()
	if got := inputs(); got != 0 {
		t.Errorf("it gets %d inputs again", got)
	}
	// One that could not finish may lack them.
	task, err := wire.DecodeTask(a.tasks[0].Task)
	if err != nil {
		t.Fatal(err)
	}
	a.tasks = nil
	a.feed(wire.Computed{Worker: 0, Answer: wire.Answer{Job: task.Job, First: task.First, Items: task.Items, Outcome: wire.OutcomeHost}.Append(nil)})
	b.pass(tick.Second)
	if got := inputs(); got != 1 {
		t.Errorf("after a failure of the host it gets %d inputs", got)
	}
}

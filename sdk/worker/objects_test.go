package worker

import (
	"fmt"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/id"
	jobs "shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

var (
	inputA = []byte("the first input")
	inputB = []byte("the second")
)

// withInputs is a job of the owner's whose items see three files, two of which
// are the same and one of which is empty.
func withInputs(t testing.TB, seed int) wire.Manifest {
	t.Helper()
	files := []wire.File{{Name: "p", Data: module}, {Name: "a", Data: inputA}, {Name: "b", Data: inputB}, {Name: "e"}}
	text := fmt.Sprintf(`{"program":{"module":"p"},"split":{"range":100},"combine":"moments","grain":10,"seed":%d,
		"inputs":{"x":{"file":"a"},"y":{"file":"b"},"z":{"file":"a"},"w":{"file":"e"}}}`, seed)
	j, err := jobs.Parse([]byte(text), files, catalog.Builtin(), jobs.Options{Engine: testEngine, Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	return j.Manifest
}

func object(m wire.Manifest, data []byte) Link {
	return Link{From: owner, Message: wire.Object{Job: jobs.ID(m), Object: jobs.Object(data), Data: data}}
}

func TestInputsOfAJobAreFetchedOnceAndOneByOne(t *testing.T) {
	b := newBench(t, 2)
	m := withInputs(t, 1)
	l := b.grant(m, 3)
	b.prepare(m)
	for _, want := range [][]byte{nil, inputA, inputB} { // by the name of the input: w, x, y
		asked := got[wire.WantObject](b)
		if len(asked) != 1 || asked[0].Object != jobs.Object(want) || b.state(l) != "fetching" {
			t.Fatalf("asked for %+v, want %q; the lease is %s", asked, want, b.state(l))
		}
		b.feed(object(m, want))
	}
	if b.state(l) != "running" || len(got[wire.WantObject](b)) != 0 {
		t.Fatalf("with all inputs it is %s", b.state(l))
	}
	in := b.runs[l].Task.Inputs
	if len(in) != 4 || string(in[0]) != "" || string(in[1]) != string(inputA) || string(in[2]) != string(inputB) || string(in[3]) != string(inputA) {
		t.Errorf("the task has %q", in)
	}
	next := b.grant(m, 4)
	if b.state(next) != "running" || len(got[wire.WantObject](b)) != 0 {
		t.Errorf("the next shard is %s and asks again", b.state(next))
	}
}

func TestObjectsThatNobodyAskedForAreIgnored(t *testing.T) {
	b := newBench(t, 2)
	m := withInputs(t, 1)
	l := b.grant(m, 3)
	b.feed(object(m, nil)) // before the job is known
	b.prepare(m)
	got[wire.WantObject](b)
	for name, ev := range map[string]Link{
		"another input":    object(m, inputB),
		"other bytes":      {From: owner, Message: wire.Object{Job: l.Job, Object: jobs.Object(nil), Data: []byte("x")}},
		"a wrong digest":   {From: owner, Message: wire.Object{Job: l.Job, Data: nil}},
		"from a stranger":  {From: person("x"), Message: object(m, nil).Message},
		"of another job":   {From: owner, Message: wire.Object{Job: id.Job{9}, Object: jobs.Object(nil)}},
		"a foreign object": object(m, []byte("anything")),
	} {
		b.feed(ev)
		if len(got[wire.WantObject](b)) != 0 || b.state(l) != "fetching" {
			t.Errorf("%s: taken", name)
		}
	}
	b.feed(object(m, nil))
	if len(got[wire.WantObject](b)) != 1 {
		t.Error("after that the right one is not taken")
	}
}

func TestAQuestionForAnInputIsRepeatedAndGivenUp(t *testing.T) {
	b := newBench(t, 2)
	m := withInputs(t, 1)
	l := b.grant(m, 3)
	b.prepare(m)
	got[wire.WantObject](b)
	b.after(patience)
	if n := len(got[wire.WantObject](b)); n != 1 {
		t.Errorf("after a while it asks %d times", n)
	}
	b.feed(LinkUp{Peer: owner})
	if n := len(got[wire.WantObject](b)); n != 1 {
		t.Errorf("over a new link it asks %d times", n)
	}
	// Each input that comes is a sign of life, so that many of them have time.
	for _, data := range [][]byte{nil, inputA} {
		b.after(giveUp - patience - tick.Second)
		b.feed(object(m, data))
		if b.state(l) != "fetching" {
			t.Fatalf("it is %s though inputs come", b.state(l))
		}
	}
	for range 5 {
		b.after(patience)
	}
	if back := said[wire.Returned](b); b.state(l) != "gone" || len(back) != 1 || back[0].Why != "no-owner" {
		t.Errorf("it is %s, handed back %+v", b.state(l), back)
	}
	if b.grant(m, 3); len(got[wire.WantObject](b)) == 0 {
		b.after(patience)
	}
	b.feed(object(m, inputB)) // what came before is still there
	if s := b.state(l); s != "running" {
		t.Errorf("with the last input it is %s", s)
	}
}

func TestInputsOfOldJobsAreForgotten(t *testing.T) {
	b := newBench(t, 2)
	for seed := range 5 {
		m := withInputs(t, seed)
		l := b.grant(m, 1)
		b.prepare(m)
		for _, data := range [][]byte{nil, inputA, inputB} {
			b.feed(object(m, data))
		}
		b.feed(Pool{wire.Revoke{Lease: l}})
	}
	kept := 0
	for _, j := range b.m.jobs {
		if j.inputs != nil {
			kept++
		}
	}
	if kept > 2 {
		t.Errorf("the inputs of %d jobs are kept", kept)
	}
}

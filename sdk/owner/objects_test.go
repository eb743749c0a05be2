package owner

import (
	"strings"
	"testing"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

func TestInputsGoToWhoHasALease(t *testing.T) {
	input := []byte("input")
	text := `{"program":{"module":"p"},"split":{"range":40},"combine":"moments","grain":10,"inputs":{"i":{"file":"i"}}}`
	j, err := job.Parse([]byte(text), []wire.File{{Name: "p", Data: []byte("module")}, {Name: "i", Data: input}}, catalog.Builtin(), job.Options{Engine: testEngine, Owner: self})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, cfg: Config{Manifest: j.Manifest, Module: []byte("module"), Inputs: j.Inputs, Self: self, Durable: true}}
	b.restart()
	b.open()
	want := wire.WantObject{Job: b.m.ID(), Object: job.Object(input)}
	b.says("w", want)
	b.says("thief", want)
	if len(got[wire.Object](b, "w")) != 0 {
		t.Error("it is answered before there is a lease")
	}
	b.leased("w", b.lease(1, 1))
	if o := got[wire.Object](b, "w"); len(o) != 1 || string(o[0].Data) != "input" || o[0].Object != want.Object {
		t.Errorf("the early question is answered with %+v", o)
	}
	b.says("w", wire.WantObject{Job: b.m.ID(), Object: id.Digest{1}})
	b.says("w", wire.WantObject{Job: b.m.ID()})
	if o := got[wire.Object](b, "w"); len(o) != 0 {
		t.Errorf("an object that the job does not have is %+v", o)
	}
	if len(b.sent[person("thief")]) != 0 {
		t.Errorf("a stranger gets %+v", b.sent[person("thief")])
	}
	b.feed(Stop{})
	b.says("w", want)
	if n := len(got[wire.NotHere](b, "w")); n != 1 {
		t.Errorf("after the end it is told %d times that the job is not here", n)
	}
}

func TestRecordsOfAHeldFileAreSupplied(t *testing.T) {
	text, files := rowsJob("moments", "0", "1", "2", "3", "4", "5")
	data := files[0].Data
	files[0].Data, files[0].Held, files[0].Size = nil, 5, uint64(len(data))
	r, err := job.Begin([]byte(text), files, catalog.Builtin(), job.Options{Engine: testEngine, Owner: self})
	if err != nil {
		t.Fatal(err)
	}
	for p, ok := r.Want(); ok; p, ok = r.Want() {
		if err := r.Take(p, data[p.From:p.From+uint64(p.Bytes)]); err != nil {
			t.Fatal(err)
		}
	}
	j := r.Job()
	b := &bench{t: t, cfg: Config{Manifest: j.Manifest, Module: []byte("module"), Input: j.Input, Self: self, Durable: true}}
	b.restart()
	b.open()
	b.leased("w", b.lease(1, 1))
	b.says("w", wire.WantInput{Job: b.m.ID(), Shard: 1})
	b.says("thief", wire.WantInput{Job: b.m.ID(), Shard: 1})
	if len(got[wire.Input](b, "w")) != 0 || len(b.supplies) != 1 || b.supplies[0] != (Supply{Peer: person("w"), Shard: 1}) {
		t.Errorf("asked for %+v", b.supplies)
	}
	if b.m.Records(1) != nil {
		t.Error("the records are here")
	}
	b.feed(Broken{diag.New("records/read-failed", "the medium was taken out")})
	if len(b.failed) != 1 || b.failed[0].Refusal.Code != "records/read-failed" || !strings.Contains(b.failed[0].Refusal.Why, "medium") || !b.m.Over() {
		t.Errorf("it ends with %+v", b.failed)
	}
	if len(asked[wire.CloseJob](b)) == 0 {
		t.Error("the coordinator is not told")
	}
}

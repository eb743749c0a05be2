package worker

import (
	"testing"

	"shoal/sdk/catalog"
	jobs "shoal/sdk/job"
	"shoal/sdk/wire"
)

func TestASplitsModuleHasToBeTheOneThatTheWorkNames(t *testing.T) {
	text := `{"program":"stats/columns","split":{"by":{"module":"s","items":100,"columns":["x"]}},"combine":"moments","grain":10}`
	j, err := jobs.Parse([]byte(text), []wire.File{{Name: "s", Data: []byte("the split")}}, catalog.Builtin(), jobs.Options{Engine: testEngine, Owner: owner})
	if err != nil {
		t.Fatal(err)
	}
	m := j.Manifest
	m.Work.Program = catalog.ProgramID(module)
	for _, tt := range []struct {
		name  string
		split string
		fits  bool
	}{{"the module", "the split", true}, {"another", "another", false}, {"none", "", false}} {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(t, 2)
			l := b.grant(m, 1)
			p := packageOf(m)
			p.Split = []byte(tt.split)
			b.feed(Link{From: owner, Message: p})
			back := said[wire.Returned](b)
			if !tt.fits {
				if len(b.admit) != 0 || len(back) != 1 || back[0].Why != "unable" {
					t.Errorf("admitted %d, handed back %+v", len(b.admit), back)
				}
				return
			}
			if len(b.admit) != 1 || string(b.admit[0].Split) != tt.split {
				t.Fatalf("admitted %+v, handed back %+v", b.admit, back)
			}
			b.feed(Admitted{Job: l.Job})
			if r, ok := b.runs[l]; !ok || len(r.Task.Input) > 0 {
				t.Errorf("it is %s", b.state(l))
			}
		})
	}
}

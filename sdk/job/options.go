package job

import (
	"strconv"

	"shoal/sdk/catalog"
	"shoal/sdk/diag"
	"shoal/sdk/fold"
	"shoal/sdk/rng"
	"shoal/sdk/wire"
)

// What the options of combines are when a job does not say.
const (
	defaultAccuracy = 0.01
	defaultTop      = 10
	defaultSample   = 100
	defaultBits     = 39 // holds values up to 2^24 to 1.8e-12
)

func defaultProbabilities() []wire.F64 {
	return []wire.F64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}
}

// options reads what the combine of an entry can be told, of f its value in the
// job file; f has no node if the job only names the combine. Everything that the job leaves out is
// written into the manifest, so that a default and the same value written down are
// one job.
func (d *draft) options(entry catalog.Combine, f field) error {
	c := &d.Manifest.Combine
	if f.node == nil {
		f.node = &node{kind: isObject}
	}
	var names []string
	for _, o := range entry.Options {
		names = append(names, o.Name)
	}
	if err := f.object(names...); err != nil {
		return err
	}
	switch c.Kind {
	case fold.Quantiles:
		c.Accuracy, c.Probabilities = defaultAccuracy, defaultProbabilities()
	case fold.Top:
		c.Keep = defaultTop
	case fold.Sample:
		c.Keep = defaultSample
	case fold.Sum:
		c.Bits = defaultBits
	}
	for i, name := range f.keys {
		if err := d.option(name, f.member(i)); err != nil {
			return err
		}
	}
	return nil
}

// option reads one option into the manifest.
func (d *draft) option(name string, f field) error {
	c := &d.Manifest.Combine
	switch name {
	case "nan":
		c.SkipNaN = true
		return f.word("skip")
	case "target", "by":
		at, err := d.output(f)
		if name == "by" {
			c.RankedBy = at
		} else {
			c.Target = at + 1
		}
		return err
	case "accuracy":
		v, err := f.float()
		c.Accuracy = wire.F64(v)
		return err
	case "probabilities":
		values, err := f.floats(fold.MaxProbabilities)
		c.Probabilities = nil
		for _, v := range values {
			c.Probabilities = append(c.Probabilities, wire.F64(v))
		}
		return err
	case "k":
		v, err := f.count(1, fold.MaxKeptCells)
		c.Keep = uint32(v)
		return err
	case "order":
		c.Least = f.text == "least"
		return f.word("greatest", "least")
	case "bits":
		v, err := f.count(0, fold.MaxBits)
		c.Bits = uint32(v)
		return err
	}
	panic("job: bug: no such option: " + name)
}

// word refuses what is not one of a few texts.
func (f field) word(words ...string) error {
	if f.kind == isText && known(f.text, words) {
		return nil
	}
	list := ""
	for i, w := range words {
		if i > 0 {
			list += " or "
		}
		list += quote(w)
	}
	if f.kind != isText {
		return f.wrong("the text " + list)
	}
	return f.refuse("job/out-of-range", quote(f.text)+" is not "+list)
}

// output reads which output is meant: its name, or its position from 0.
func (d *draft) output(f field) (uint32, error) {
	if f.kind == isNumber {
		at, err := f.count(0, uint64(len(d.Outputs)-1))
		return uint32(at), err
	}
	if f.kind != isText {
		return 0, f.wrong("an output's name or its position from 0")
	}
	for i, name := range d.Outputs {
		if name == f.text {
			return uint32(i), nil
		}
	}
	why, near := nearest("no output has the name "+quote(f.text), f.text, d.Outputs)
	return 0, f.refuse("job/unknown-output", why, diag.Detail{Key: "nearest", Value: near},
		diag.Detail{Key: "outputs", Value: strconv.Itoa(len(d.Outputs))})
}

// addOptions takes the options of a manifest into a spec of the same kind.
func addOptions(s *fold.Spec, m wire.Manifest) {
	c := m.Combine
	s.SkipNaN, s.Target, s.Accuracy = c.SkipNaN, int(c.Target), float64(c.Accuracy)
	for _, p := range c.Probabilities {
		s.Probabilities = append(s.Probabilities, float64(p))
	}
	s.Keep, s.By, s.Least, s.Bits = int(c.Keep), int(c.RankedBy), c.Least, int(c.Bits)
	if s.Kind == fold.Sample {
		s.Key = rng.KeyFor(WorkID(m.Work), rng.StreamReservoir)
	}
}

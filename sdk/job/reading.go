package job

import (
	"shoal/sdk/catalog"
	"shoal/sdk/wire"
)

const (
	// pieceBytes is the size of the pieces in which held files are read, and
	// maxAhead how many are asked for before the first of them is here.
	pieceBytes = 2 << 20
	maxAhead   = 2
)

// Reading is a job file on its way to a Job, while files that the host holds are
// read. Want says what to read next; Take gets it.
type Reading struct {
	d     draft
	root  field
	o     Options
	queue []stream
	from  uint64 // where the next piece of queue[0] begins
	ahead []ahead
	done  uint64 // bytes
	all   uint64
	phase phase
}

// phase is how far a Reading is.
type phase uint8

const (
	loading phase = iota // small files, whole
	reading              // records
	complete
)

// stream is a file that is read from its beginning to its end.
type stream struct {
	held uint32
	size uint64
	data []byte // unless it is held
	take func(piece []byte, final bool) error
}

// ahead is a piece that was asked for and, once here, waits for those before it.
type ahead struct {
	piece Piece
	data  []byte
	here  bool
}

// Begin reads a job file as Parse does, and as far as that is possible without
// the files that the host holds.
func Begin(src []byte, files []wire.File, cat *catalog.Catalog, o Options) (*Reading, error) {
	root, err := open(src)
	if err != nil {
		return nil, err
	}
	r := &Reading{root: root, o: o, d: draft{files: append([]wire.File(nil), files...), catalog: cat}}
	r.d.Manifest.Version = Version
	r.d.Manifest.Work.Engine = o.Engine
	r.d.Manifest.Owner = o.Owner
	small := root.small()
	for i := range r.d.files {
		f := &r.d.files[i]
		if f.Held == 0 || !known(f.Name, small) {
			continue
		}
		if f.Size > MaxInput {
			return nil, oversize(f.Name, f.Size, MaxInput)
		}
		r.queue = append(r.queue, stream{held: f.Held, size: f.Size, take: func(piece []byte, final bool) error {
			if f.Data = append(f.Data, piece...); final {
				f.Held = 0
			}
			return nil
		}})
	}
	return r, r.goOn()
}

// goOn does what can be done without another piece.
func (r *Reading) goOn() error {
	for {
		for len(r.queue) > 0 {
			s := r.queue[0]
			if s.held != 0 && s.size > 0 {
				return nil
			}
			if err := s.take(s.data, true); err != nil {
				return err
			}
			r.queue = r.queue[1:]
		}
		var err error
		switch r.phase {
		case loading:
			err = r.begin()
		case reading:
			if len(r.d.sheets) > 0 {
				err = r.d.joinRecords(r.root, newRecords(r.d.sheets))
			}
			if err == nil {
				err = r.d.rest(r.root, r.o)
			}
		case complete:
			return nil
		}
		if err != nil {
			return err
		}
		r.phase++
	}
}

// begin reads the job file up to its records.
func (r *Reading) begin() error {
	for _, step := range []func(root field) error{r.d.program, r.d.limits, r.d.inputs, r.d.split} {
		if err := step(r.root); err != nil {
			return err
		}
	}
	for _, s := range r.d.sheets {
		r.queue = append(r.queue, stream{held: s.held, size: s.size, data: s.data, take: s.take})
		if s.held != 0 {
			r.all += s.size
		}
	}
	return nil
}

// rest reads what builds on the split: it names the columns, which outputs, params
// and memory follow from.
func (d *draft) rest(root field, o Options) error {
	for _, step := range []func(root field) error{
		d.outputs, d.returns, d.params, d.compile, d.seed, d.runItems, d.combine, d.policy,
	} {
		if err := step(root); err != nil {
			return err
		}
	}
	if err := d.grain(root, o.Grain); err != nil {
		return err
	}
	return check(d.Manifest)
}

// Job returns the job, nil as long as there is something to read.
func (r *Reading) Job() *Job {
	if r.phase != complete {
		return nil
	}
	return &r.d.Job
}

// Progress returns how many bytes of the held files of records were read, and
// how many there are.
func (r *Reading) Progress() (done, all uint64) { return r.done, r.all }

// Want returns the next piece to read, and false if there is none to ask for now.
func (r *Reading) Want() (Piece, bool) {
	if len(r.queue) == 0 || len(r.ahead) == maxAhead || r.from == r.queue[0].size {
		return Piece{}, false
	}
	s := r.queue[0]
	p := Piece{Held: s.held, From: r.from, Bytes: uint32(min(pieceBytes, s.size-r.from))}
	r.from += uint64(p.Bytes)
	r.ahead = append(r.ahead, ahead{piece: p})
	return p, true
}

// Take takes the bytes of a piece, which may come before those of earlier ones and
// are kept until their turn.
func (r *Reading) Take(p Piece, data []byte) error {
	for i := range r.ahead {
		if a := &r.ahead[i]; a.piece == p && !a.here && len(data) == int(p.Bytes) {
			a.data, a.here = data, true
		}
	}
	for len(r.ahead) > 0 && r.ahead[0].here {
		a, s := r.ahead[0], r.queue[0]
		r.ahead = r.ahead[1:]
		end := a.piece.From + uint64(a.piece.Bytes)
		if err := s.take(a.data, end == s.size); err != nil {
			return err
		}
		if r.phase == reading {
			r.done += uint64(a.piece.Bytes)
		}
		if a.piece.From == 0 && end < s.size {
			if err := r.early(); err != nil {
				return err
			}
		}
		if end == s.size {
			r.queue, r.from = r.queue[1:], 0
			return r.goOn()
		}
	}
	return nil
}

// early refuses, after the first piece of a large file, what would be refused
// after the last one all the same.
func (r *Reading) early() error {
	if r.phase != reading || len(r.d.sheets[0].split.Columns) == 0 {
		return nil
	}
	s := r.d.sheets[0]
	records := newRecords(r.d.sheets[:1])
	records.Split.Rows, records.Split.Size = max(records.Split.Rows, 1), s.size
	d := r.d
	if err := d.joinRecords(r.root, records); err != nil {
		return err
	}
	return d.rest(r.root, r.o)
}

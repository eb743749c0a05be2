package peer

import (
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/job"
	"shoal/sdk/owner"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// readFailed is the code of a run that lost its file.
const readFailed = "records/read-failed"

const (
	// readingEvery bounds how often it is told how far a file was read.
	readingEvery = 250 * tick.Millisecond
	// maxShardRead bounds what is read of held files for one shard.
	maxShardRead = 256 << 20
)

// read is a piece of a held file that the host was asked for.
type read struct {
	piece job.Piece
	done  func(data []byte, why string)
}

// ask asks the host for a piece of a file.
func (m *Machine) ask(p job.Piece, done func(data []byte, why string)) {
	m.ticket++
	m.reads[m.ticket] = read{p, done}
	m.emit(wire.Read{Ticket: m.ticket, Held: p.Held, From: p.From, Bytes: p.Bytes})
}

func (m *Machine) readDone(ev wire.ReadDone) {
	q, ok := m.reads[ev.Ticket]
	if !ok {
		return // of a run that has ended
	}
	delete(m.reads, ev.Ticket)
	if ev.Why == "" && len(ev.Data) != int(q.piece.Bytes) {
		ev.Why = "the file has changed since it was chosen"
	}
	q.done(ev.Data, ev.Why)
}

// release lets the host forget the files that a submission handed over, and
// forgets what was asked of them.
func (m *Machine) release(files []wire.File) {
	for _, f := range files {
		if f.Held == 0 {
			continue
		}
		for ticket, q := range m.reads {
			if q.piece.Held == f.Held {
				delete(m.reads, ticket)
			}
		}
		m.emit(wire.Release{Held: f.Held})
	}
}

// readOn asks for what a job file still needs, or goes on with the job.
func (m *Machine) readOn(r *run) {
	for {
		p, ok := r.reading.Want()
		if !ok {
			break
		}
		m.ask(p, func(data []byte, why string) {
			if why != "" {
				m.broken(r, p.Held, why)
				return
			}
			if err := r.reading.Take(p, data); err != nil {
				m.refuseRun(r, refusalOf(err))
				return
			}
			m.readOn(r)
		})
	}
	j := r.reading.Job()
	if j == nil {
		m.tellReading(r)
		return
	}
	r.reading = nil
	if err := m.take(r, j); err != nil {
		m.refuseRun(r, refusalOf(err))
		return
	}
	m.ready(r)
}

// tellReading tells now and then how far the files were read.
func (m *Machine) tellReading(r *run) {
	done, all := r.reading.Progress()
	if all == 0 || r.told != 0 && m.now < r.told.Add(readingEvery) {
		return
	}
	r.told = m.now
	m.emit(wire.RunProgress{Run: r.number, Waiting: "the file, " + strconv.FormatUint(done/(all/100+1), 10) + " % read"})
}

// broken ends a run of which a file cannot be read.
func (m *Machine) broken(r *run, held uint32, why string) {
	name := ""
	for _, f := range r.held {
		if f.Held == held {
			name = f.Name
		}
	}
	refusal := diag.New(readFailed, name+": "+why, diag.Detail{Key: "file", Value: name})
	if r.owner == nil {
		m.refuseRun(r, refusal)
		return
	}
	m.tellOwner(r, owner.Broken{Refusal: refusal})
}

// fetch reads the n records from first and calls done, unless the run ends
// meanwhile. What is in memory is there at once.
func (m *Machine) fetch(r *run, first, n uint64, done func(data []byte)) {
	pieces := r.job.Input.Reads(first, n)
	read := make([][]byte, len(pieces))
	left := len(pieces)
	join := func() {
		data, ok := r.job.Input.Cut(first, n, read)
		if !ok {
			m.broken(r, pieces[0].Held, "the file has changed since it was checked")
			return
		}
		done(data)
	}
	if left == 0 {
		join()
	}
	for i, p := range pieces {
		m.ask(p, func(data []byte, why string) {
			switch {
			case m.runs[r.number] != r || left == 0:
			case why != "":
				left = 0
				m.broken(r, p.Held, why)
			default:
				read[i] = data
				if left--; left == 0 {
					join()
				}
			}
		})
	}
}

// supply reads the records of a shard and sends them to a peer. Whoever asks for
// them meanwhile gets them too.
func (m *Machine) supply(r *run, to id.Peer, shard uint64) {
	waiting, under := r.supplies[shard]
	for _, p := range waiting {
		if p == to {
			return
		}
	}
	if r.supplies == nil {
		r.supplies = map[uint64][]id.Peer{}
	}
	r.supplies[shard] = append(waiting, to)
	if under {
		return
	}
	first, items := job.Range(r.job.Manifest, shard)
	m.fetch(r, first, items, func(data []byte) {
		waiting := r.supplies[shard]
		delete(r.supplies, shard)
		for _, p := range waiting {
			m.toPeer(r.venue, p, wire.Input{Job: r.id, Shard: shard, Data: data})
		}
	})
}

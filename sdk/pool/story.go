package pool

import (
	"strconv"

	"shoal/sdk/id"
	"shoal/sdk/tick"
)

// storyLines bounds the memory that stories take in a room.
const storyLines = 4096

type line struct {
	at      tick.Time
	job     id.Job
	shard   uint64
	attempt uint32
	peer    id.Peer
	what    string
}

// story keeps the last transitions of all shards in a ring.
type story struct {
	lines []line
	next  int
}

func (s *story) add(at tick.Time, job id.Job, shard uint64, attempt uint32, peer id.Peer, what string) {
	l := line{at: at, job: job, shard: shard, attempt: attempt, peer: peer, what: what}
	if len(s.lines) < storyLines {
		s.lines = append(s.lines, l)
		return
	}
	s.lines[s.next] = l
	s.next = (s.next + 1) % storyLines
}

// Story returns what the coordinator remembers of one shard's life, oldest
// first, one line a transition: milliseconds, what, attempt, peer.
func (m *Machine) Story(job id.Job, shard uint64) []string {
	var out []string
	for i := range m.story.lines {
		l := m.story.lines[(m.story.next+i)%len(m.story.lines)]
		if l.job != job || l.shard != shard {
			continue
		}
		text := strconv.FormatInt(int64(l.at)/1_000_000, 10) + " ms " + l.what
		if l.attempt != 0 {
			text += " attempt " + strconv.FormatUint(uint64(l.attempt), 10)
		}
		out = append(out, text+" peer "+l.peer.Short())
	}
	return out
}

// Counts is how the shards of a job stand.
type Counts struct {
	Queued, Leased, Held, Settled uint64
}

// Counts returns how the shards of a job stand, and false for an unknown job.
func (m *Machine) Counts(job id.Job) (Counts, bool) {
	j := m.jobs[job]
	if j == nil {
		return Counts{}, false
	}
	c := Counts{Settled: j.done}
	for _, s := range j.active {
		switch {
		case s.have() < s.need:
			c.Queued++
		case s.count(attemptLeased) > 0:
			c.Leased++
		default:
			c.Held++
		}
	}
	c.Queued += j.shards - j.done - uint64(len(j.active))
	return c, true
}

// Jobs returns the open jobs in order of announcement.
func (m *Machine) Jobs() []id.Job { return append([]id.Job(nil), m.open...) }

package peer

import (
	"strconv"

	"shoal/sdk/diag"
	"shoal/sdk/job"
	"shoal/sdk/wire"
)

// The carrier of all links is the one session with the server, which holds
// session.MaxUnacked bytes at most, and the server holds as many for this device.
const (
	// maxMessage is the largest message of a link in bytes.
	maxMessage = 64 << 20
	// holdAt is the backlog of the session at which the links hold what is
	// large. The rest is for the coordinator's messages and the small ones.
	holdAt = 2 << 20
	// inFlight is what all other devices together may have under way to this
	// one, and minFlight what each of them may.
	inFlight  = 4 << 20
	maxFlight = 1 << 20
	minFlight = 128 << 10
)

// maxBacklog bounds what waits inside one link. A worker's results are not
// counted in: it stops by itself when too many of them are not kept.
const maxBacklog = 32 << 20

// overfull reports whether a message is better left unsaid: an answer that the
// other side asks for again in a few seconds, or a word that it can do without,
// while there is more under way than the link or the carrier can take.
func (m *Machine) overfull(l *peerLink, msg wire.LinkMessage) bool {
	switch msg.(type) {
	case wire.JobPackage, wire.Input, wire.Object:
		return l.session.Backlog() >= maxBacklog
	case wire.NotHere, wire.Kept:
		return l.session.Backlog() >= 2*maxBacklog || m.guest.session.Backlog() >= 3*holdAt
	default:
		return false
	}
}

// held reports whether the carrier has as much as it can take.
func (g *membership) held() bool { return g.session.Backlog() >= holdAt }

// window returns the bytes that one link may have under way to this device.
func (g *membership) window() int {
	return min(max(inFlight/max(len(g.links), 1), minFlight), maxFlight)
}

// divide shares what this device can receive among its links.
func (m *Machine) divide() {
	g := m.guest
	if w := g.window(); w != g.divided {
		g.divided = w
		for _, l := range g.links {
			l.session.SetWindow(w)
		}
	}
}

// fits refuses a job that has a shard whose records, or an input that, is more
// than can move as one piece: what a link carries in one message, or without a
// pool what is read at a time. What a shard yields is bounded by the combine.
func (r *run) fits() *diag.Refusal {
	if r.venue.pooled {
		return fits(r.job, "link/too-big", maxMessage-envelope)
	}
	return fits(r.job, "records/shard-too-large", maxShardRead)
}

func fits(j *job.Job, code string, most uint64) *diag.Refusal {
	for _, in := range j.Manifest.Work.Inputs {
		if in.Size > most {
			return tooBig(code, "the input "+in.Name+" has ", in.Size, most)
		}
	}
	if j.Input == nil {
		return nil
	}
	if size := j.Input.MostRead(j.Manifest.Grain); size > most {
		return tooBig(code, "a shard has up to ", size, most)
	}
	return nil
}

func tooBig(code, what string, size, most uint64) *diag.Refusal {
	return diag.New(code, what+strconv.FormatUint(size, 10)+" bytes, and "+strconv.FormatUint(most, 10)+" is the most that can move as one piece",
		diag.Detail{Key: "bytes", Value: strconv.FormatUint(size, 10)})
}

// envelope is more than a message takes around its bytes.
const envelope = 1 << 10

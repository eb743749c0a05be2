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
	case wire.JobPackage, wire.Input:
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

// fitsLink refuses a job for a pool that has a shard whose records are more than
// a link carries in one message. What a shard yields is bounded by the combine.
func fitsLink(j *job.Job, most int) *diag.Refusal {
	if j.Input == nil || j.Input.Split.Size <= uint64(most) {
		return nil
	}
	for n := range job.Shards(j.Manifest) {
		first, items := job.Range(j.Manifest, n)
		if size := len(j.Input.Slice(first, items)); size > most {
			return diag.New("link/too-big", "shard "+strconv.FormatUint(n, 10)+" needs "+strconv.Itoa(size)+
				" bytes of records, and a message between devices has at most "+strconv.Itoa(most),
				diag.Detail{Key: "grain", Value: strconv.FormatUint(j.Manifest.Grain, 10)})
		}
	}
	return nil
}

// envelope is more than a message takes around its bytes.
const envelope = 1 << 10

package signal

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"
)

// metrics are the server's counters. Labels come from fixed lists: no identity,
// address or room ever is one, so that their number is bounded.
type metrics struct {
	conns    atomic.Int64 // open WebSockets
	unproven atomic.Int64 // open connections without a valid greeting
	rooms    atomic.Int64 // in memory
	stored   atomic.Int64 // on disk
	faulty   atomic.Int64 // quarantined

	accepted atomic.Uint64 // connections
	dropped  atomic.Uint64 // connections closed by a limit before their greeting
	welcomed atomic.Uint64
	slow     atomic.Uint64 // peers cut because they could not keep up
	dead     atomic.Uint64 // peers cut because they were silent
	panics   atomic.Uint64
	refused  [len(refusedCodes) + 1]atomic.Uint64

	entries   atomic.Uint64
	snapshots atomic.Uint64
	commits   atomic.Uint64 // changes
	writes    atomic.Uint64 // groups of them, each one write to disk
	failures  atomic.Uint64
	broken    atomic.Bool // the last write failed
	buckets   [len(writeBounds) + 1]atomic.Uint64
	spent     atomic.Int64 // nanoseconds
}

// refusedCodes are the refusals that are counted by name; others count together.
var refusedCodes = [...]string{
	"pool/full", "pool/no-room", "pool/token", "server/busy", "server/draining", "server/full", "server/greeting",
	"server/quarantined", "server/storage", "session/signature", "trust/not-member", "version/engine", "version/wire",
}

// writeBounds are the buckets of the time that a write takes. The disks that
// this was made on need about a millisecond and have tails of some hundred.
var writeBounds = [...]time.Duration{
	500 * time.Microsecond, time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond,
	25 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond,
}

func (m *metrics) refuse(code string) {
	for i, c := range refusedCodes {
		if c == code {
			m.refused[i].Add(1)
			return
		}
	}
	m.refused[len(refusedCodes)].Add(1)
}

func (m *metrics) committed(changes int, took time.Duration, err error) {
	m.broken.Store(err != nil)
	if err != nil {
		m.failures.Add(1)
		return
	}
	m.writes.Add(1)
	m.commits.Add(uint64(changes))
	m.spent.Add(int64(took))
	i := 0
	for i < len(writeBounds) && took > writeBounds[i] {
		i++
	}
	m.buckets[i].Add(1)
}

// serveMetrics writes all counters in the text format of Prometheus.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if !s.trusted(r) {
		s.deny(w, http.StatusForbidden, "server/not-local", "counters are shown to this machine, and to holders of the server's token")
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	out := bufio.NewWriter(w)
	s.writeMetrics(out)
	_ = out.Flush()
}

func (s *Server) writeMetrics(w io.Writer) {
	m := s.stats
	head := func(name, kind, help string) {
		fmt.Fprintf(w, "# HELP shoal_%s %s\n# TYPE shoal_%s %s\n", name, help, name, kind)
	}
	gauge := func(name, help string, v int64) {
		head(name, "gauge", help)
		fmt.Fprintf(w, "shoal_%s %d\n", name, v)
	}
	counter := func(name, help string, v uint64) {
		head(name, "counter", help)
		fmt.Fprintf(w, "shoal_%s %d\n", name, v)
	}
	gauge("connections", "Open WebSockets.", m.conns.Load())
	gauge("connections_unproven", "Open connections without a valid greeting.", m.unproven.Load())
	gauge("rooms", "Rooms in memory.", m.rooms.Load())
	gauge("rooms_stored", "Rooms on disk.", m.stored.Load())
	gauge("rooms_quarantined", "Rooms on disk that are not served because of a fault.", m.faulty.Load())
	counter("accepted_total", "Connections accepted.", m.accepted.Load())
	counter("dropped_total", "Connections closed by a limit before their greeting.", m.dropped.Load())
	counter("welcomed_total", "Greetings accepted by a room.", m.welcomed.Load())
	head("refused_total", "counter", "Greetings refused.")
	for i, c := range refusedCodes {
		fmt.Fprintf(w, "shoal_refused_total{code=%q} %d\n", c, m.refused[i].Load())
	}
	fmt.Fprintf(w, "shoal_refused_total{code=\"other\"} %d\n", m.refused[len(refusedCodes)].Load())
	counter("slow_total", "Peers cut because they could not keep up.", m.slow.Load())
	counter("silent_total", "Peers cut because they were silent.", m.dead.Load())
	counter("panics_total", "Rooms that hit a bug.", m.panics.Load())

	relayed := s.relay.Counts()
	head("relay_frames_total", "counter", "Frames relayed between peers.")
	fmt.Fprintf(w, "shoal_relay_frames_total{direction=\"in\"} %d\nshoal_relay_frames_total{direction=\"out\"} %d\n",
		relayed.FramesIn, relayed.FramesOut)
	head("relay_bytes_total", "counter", "Bytes relayed between peers.")
	fmt.Fprintf(w, "shoal_relay_bytes_total{direction=\"in\"} %d\nshoal_relay_bytes_total{direction=\"out\"} %d\n",
		relayed.BytesIn, relayed.BytesOut)
	head("relay_throttled_seconds_total", "counter", "Time that senders were made to wait.")
	fmt.Fprintf(w, "shoal_relay_throttled_seconds_total %g\n", relayed.Throttled.Seconds())

	counter("journal_entries_total", "Inputs of coordinators written to disk.", m.entries.Load())
	counter("journal_snapshots_total", "Snapshots of coordinators written to disk.", m.snapshots.Load())
	counter("journal_commits_total", "Changes of rooms written to disk.", m.commits.Load())
	counter("journal_failures_total", "Writes to disk that failed.", m.failures.Load())
	head("journal_write_seconds", "histogram", "How long a write to disk took, for all the changes in it.")
	var sum uint64
	for i, b := range writeBounds {
		sum += m.buckets[i].Load()
		fmt.Fprintf(w, "shoal_journal_write_seconds_bucket{le=\"%g\"} %d\n", b.Seconds(), sum)
	}
	sum += m.buckets[len(writeBounds)].Load()
	fmt.Fprintf(w, "shoal_journal_write_seconds_bucket{le=\"+Inf\"} %d\nshoal_journal_write_seconds_sum %g\n"+
		"shoal_journal_write_seconds_count %d\n", sum, time.Duration(m.spent.Load()).Seconds(), sum)

	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	gauge("goroutines", "Goroutines.", int64(runtime.NumGoroutine()))
	gauge("heap_bytes", "Bytes of live and not yet collected objects.", int64(mem.HeapAlloc))
	gauge("sys_bytes", "Bytes obtained from the system.", int64(mem.Sys))
}

package owner

import (
	"encoding/binary"
	"math"

	"shoal/sdk/fold"
	"shoal/sdk/job"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

const (
	// keepEvery is the least span between two snapshots, and perByte what each of
	// its bytes adds, so that large sums do not keep the storage busy: about 4 MiB
	// a second at most.
	keepEvery = tick.Second
	perByte   = 250 * tick.Nanosecond
)

// encodeCheckpoint returns what New goes on from.
func (m *Machine) encodeCheckpoint() []byte {
	cp := wire.Checkpoint{Job: m.id, Units: m.units, Settled: append([]byte(nil), m.accepted...), Fold: m.fold.Encode(nil)}
	return cp.Append(nil)
}

// snapshot asks for a checkpoint that nothing waits for, if one is due.
func (m *Machine) snapshot() {
	switch {
	case !m.cfg.Snapshots || m.folded == m.shards:
	case m.keepAt == 0:
		m.keepAt = m.now.Add(keepEvery) // what ends within it is not worth keeping
	case m.now >= m.keepAt:
		data := m.encodeCheckpoint()
		m.keepAt = m.now.Add(max(keepEvery, perByte*tick.Duration(len(data))))
		m.out = append(m.out, Keep{Data: data})
	}
}

// recall tells the host which shards count already, after New went on from a
// checkpoint.
func (m *Machine) recall() {
	for n := range m.shards {
		if !m.isAccepted(n) {
			continue
		}
		var cells []byte
		if m.spec.Kind == "table" && m.cfg.Manifest.Combine.By == nil {
			first, items := job.Range(m.cfg.Manifest, n)
			cells = cellsOf(m.fold, first, items)
		}
		m.out = append(m.out, Changed{Shard: n, State: wire.ShardSettled, Cells: cells})
	}
}

// cellsOf returns rows of a table as they travel, nil if some are missing.
func cellsOf(f *fold.Fold, first, items uint64) []byte {
	cells, ok := f.Cells(first, items)
	if !ok {
		return nil
	}
	out := make([]byte, 0, 8*len(cells))
	for _, x := range cells {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(x))
	}
	return out
}

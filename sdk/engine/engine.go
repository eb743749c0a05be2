// Package engine names the semantics that decide a result's bytes and units.
// Two peers whose engines have the same ID give the same answer to the same
// task.
package engine

import (
	"encoding/binary"

	"shoal/sdk/guest"
	"shoal/sdk/id"
)

// ABI is the version of the interface between the runner and a program, which
// docs/program-abi.md describes.
const ABI = 1

// versions names what decides bytes and units, one string a package. Whoever
// changes a bit that a package gives for the same input raises its number; a
// test keeps a fingerprint of each and fails when it moves alone.
var versions = [...]string{
	"shoal-shard/2",   // frame, order of calls, outcomes, failure digests
	"shoal-rng/1",     // keys and draws
	"shoal-detmath/1", // float functions
	"shoal-fold/2",    // accumulators, their bytes and digests
	"shoal-columns/2", // what a split gives each item
	"shoal-wire/2",    // the encoding of works and manifests
}

// ID returns the name of the engine that this code is.
func ID() id.Engine {
	// Admission describes itself: its version, gas table, charges and limits.
	return name(ABI, versions[:], guest.Semantics())
}

func name(abi uint32, versions []string, admission []byte) id.Engine {
	b := binary.LittleEndian.AppendUint32(nil, abi)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(versions)))
	for _, v := range versions {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(v)))
		b = append(b, v...)
	}
	return id.Engine(id.Sum("shoal-engine/1", append(b, admission...)))
}

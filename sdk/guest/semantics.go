package guest

import "encoding/binary"

// Semantics returns bytes that are different whenever two versions of this pass
// could give one program different results or units: the version, the gas of
// every opcode, the dynamic charges, the frame charge, the canonical NaNs and
// the defaults of Policy. They are hashed into the engine's identity.
func Semantics() []byte {
	b := append([]byte(Version), 0)
	for _, table := range [...]*[256]opInfo{plainOps, satOps, simdOps} {
		for i := range table {
			b = append(b, table[i].cost, byte(table[i].nan))
		}
	}
	for _, n := range [...]uint64{
		costSimple, costBranch, costGlobal, costTable, costSwitch, costCall, costIndirect, costBulk, costGrow,
		costEntry, localsPerUnit, bulkShift, gasPerPage, gasPerElem, gasPerGrownElem, tinyCost,
		frameCells, leafCells, canonicalF32, canonicalF64,
		DefaultMaxPages, DefaultMaxTableElems, DefaultStackCells,
	} {
		b = binary.LittleEndian.AppendUint64(b, n)
	}
	return b
}

package wasm

import (
	"bytes"
	"io/fs"
	"testing"
)

func TestPeerIsTheBuiltModuleOrSaysHowToBuildIt(t *testing.T) {
	b, err := Peer()
	if _, statErr := fs.Stat(dist, "dist/peer.wasm"); statErr != nil {
		if err == nil || b != nil {
			t.Errorf("%d bytes, %v", len(b), err)
		}
		return
	}
	if err != nil || !bytes.HasPrefix(b, []byte("\x00asm")) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

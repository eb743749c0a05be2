// Package wasm carries the built peer module inside Go programs.
package wasm

import (
	"embed"
	"errors"
)

// dist always holds a README, so that the code compiles before the module has
// been built.
//
//go:embed dist
var dist embed.FS

// errNotBuilt is returned by Peer when the program was compiled without it.
var errNotBuilt = errors.New("wasm: this binary holds no peer module: run make build")

// Peer returns the bytes of the peer module that was built before the program
// was compiled. The caller must not change them.
func Peer() ([]byte, error) {
	b, err := dist.ReadFile("dist/peer.wasm")
	if err != nil {
		return nil, errNotBuilt
	}
	return b, nil
}

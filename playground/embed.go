// Package playground carries the built demo site inside Go programs.
package playground

import (
	"embed"
	"errors"
	"io/fs"
)

// dist always holds a README, so that the code compiles before the site has
// been built.
//
//go:embed dist
var dist embed.FS

// errNotBuilt is returned by Files when the program was compiled without it.
var errNotBuilt = errors.New("playground: this binary holds no site: run make build")

// Files returns the site that was built before the program was compiled:
// index.html, and beside each file its .br and .gz form. Names below assets/
// change with their contents, so they may be cached for ever; all other names
// stay, and must be asked for again.
func Files() (fs.FS, error) {
	if _, err := fs.Stat(dist, "dist/index.html"); err != nil {
		return nil, errNotBuilt
	}
	return fs.Sub(dist, "dist")
}

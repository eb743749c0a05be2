package main

import (
	"encoding/binary"
	"strings"
)

// own are the packages whose functions keep their whole names in a trace.
var own = []string{"main.", "shoal/"}

// short returns the name that a function keeps. The runtime tells its own
// goroutines by the beginning of their functions' names, so a package's name is
// the least that stays; who reads the trace of a panic looks for the function of
// this repository that it came from.
func short(name string) string {
	for _, p := range own {
		if strings.HasPrefix(name, p) {
			return name
		}
	}
	path := strings.LastIndexByte(name, '/') + 1
	if i := strings.IndexAny(name[path:], ".[("); i >= 0 {
		return name[:path+i] + "."
	}
	return name
}

// shortenNames writes the table of names anew, from texts up to end, with every
// name once, and points the functions' entries there.
func (m *image) shortenNames(texts, end, funcs int, names []string) bool {
	at, seen := texts, map[string]int{}
	for i, name := range names {
		s := short(name)
		off, ok := seen[s]
		if !ok {
			off = at - texts
			seen[s] = off
			if at+len(s)+1 > end {
				return false
			}
			// Every name that is still to be read was taken before.
			copy(m.flat[at:], s)
			m.flat[at+len(s)] = 0
			at += len(s) + 1
		}
		f := funcs + m.u32(funcs+8*i+4)
		binary.LittleEndian.PutUint32(m.flat[f+funcName:], uint32(off))
	}
	clear(m.flat[at:end])
	return true
}

// Package programs holds the modules of the built-in programs.
//
// They are written in AssemblyScript (src) and take the same road as anyone's
// program: a catalog entry, admission, metering. The built bytes are committed,
// because a program is named by its bytes; `npm ci && npm run build` in this
// folder reproduces them, and a test compares.
//
// abi has helper files for programs in AssemblyScript and C, docs/program-abi.md
// describes the ABI, and hostile holds modules that misbehave, for tests.
package programs

// Module returns a copy of the bytes of the built-in program that the catalog
// lists under name, and whether there is one.
func Module(name string) ([]byte, bool) {
	for _, m := range modules {
		if m.name == name {
			return []byte(m.bytes), true
		}
	}
	return nil, false
}

// Names returns the names of the built-in programs in order.
func Names() []string {
	out := make([]string, len(modules))
	for i, m := range modules {
		out[i] = m.name
	}
	return out
}

package host

import (
	"crypto/tls"
	"log/slog"

	"shoal/sdk/wire"
)

// Kind is the engine class that this host reports.
const Kind = "wazero"

// maxWorkers bounds Config.Workers. Each is a goroutine with a peer instance of
// some megabytes.
const maxWorkers = 256

// Config says how a host runs. Peer is required.
type Config struct {
	// Peer is the peer module, usually from package shoal/wasm.
	Peer []byte
	// Workers is the number of compute workers, 0 for one.
	Workers int
	// Engine runs the programs: Compiler, the default, or Interpreter.
	Engine string
	// Memory is the most bytes that all program instances may hold together, 0
	// for DefaultMemory.
	Memory uint64
	// CacheDir keeps compiled code between processes; "" keeps it in memory. It
	// must be writable by this user only. See DefaultCacheDir.
	CacheDir string
	// StateDir keeps the device's key, pools and checkpoints; "" keeps them as
	// long as the host lives.
	StateDir string
	// Files are the files that submitted jobs hold. The host reads and releases
	// them, and closes the rest in the end; nil is for jobs without any.
	Files *Files
	// TLS is for dialling; nil trusts what the system trusts.
	TLS *tls.Config
	// Label names the device for people.
	Label string
	// Log takes what happens; nil drops it.
	Log *slog.Logger
	// Refused is called when the peer module refuses an event, from the host's
	// own goroutine; nil only logs it.
	Refused func(ev wire.Event, why error)
}

func (c Config) withDefaults() Config {
	if c.Workers == 0 {
		c.Workers = 1
	}
	if c.Engine == "" {
		c.Engine = Compiler
	}
	if c.Memory == 0 {
		c.Memory = DefaultMemory
	}
	if c.Files == nil {
		c.Files = &Files{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Refused == nil {
		c.Refused = func(wire.Event, error) {}
	}
	return c
}

package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"
)

// abiVersion is the version of the exports and imports that this host speaks.
const abiVersion = 3

// module is the compiled peer module. Its instances are made from it.
type module struct {
	runtime wazero.Runtime
	code    wazero.CompiledModule
}

// caches holds one compilation cache for each directory, for the life of the
// process: compiling the module takes seconds, and the hosts of one process
// share what it gives.
var caches struct {
	sync.Mutex
	byDir map[string]wazero.CompilationCache
}

// cacheFor returns the cache that keeps compiled code in dir, which holds what
// this process will execute and is therefore private to the user. An empty dir
// stands for memory only.
func cacheFor(dir string) (wazero.CompilationCache, error) {
	caches.Lock()
	defer caches.Unlock()
	if c, ok := caches.byDir[dir]; ok {
		return c, nil
	}
	c := wazero.NewCompilationCache()
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("host: compilation cache: %w", err)
		}
		var err error
		if c, err = wazero.NewCompilationCacheWithDir(dir); err != nil {
			return nil, fmt.Errorf("host: compilation cache: %w", err)
		}
	}
	if caches.byDir == nil {
		caches.byDir = map[string]wazero.CompilationCache{}
	}
	caches.byDir[dir] = c
	return c, nil
}

// DefaultCacheDir returns where compiled code is kept by default, or "" where
// the user has no such place.
func DefaultCacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "shoal")
}

// loadModule compiles the peer module, always with the compiler: the module's
// own code decides floats in one way only.
func loadModule(ctx context.Context, peer []byte, cacheDir string) (*module, error) {
	cache, err := cacheFor(cacheDir)
	if err != nil {
		return nil, err
	}
	cfg := wazero.NewRuntimeConfigCompiler().WithCompilationCache(cache).WithDebugInfoEnabled(false)
	m := &module{runtime: wazero.NewRuntimeWithConfig(ctx, cfg)}
	if err := m.load(ctx, peer); err != nil {
		return nil, errors.Join(err, m.close(ctx))
	}
	return m, nil
}

func (m *module) load(ctx context.Context, peer []byte) error {
	if err := instantiateWASI(ctx, m.runtime); err != nil {
		return fmt.Errorf("host: %s: %w", wasiModule, err)
	}
	if err := instantiateShoal(ctx, m.runtime); err != nil {
		return fmt.Errorf("host: %s: %w", shoalModule, err)
	}
	var err error
	m.code, err = m.runtime.CompileModule(experimental.WithCompilationWorkers(ctx, 2), peer)
	if err != nil {
		return fmt.Errorf("host: compile the peer module: %w", err)
	}
	return nil
}

func (m *module) close(ctx context.Context) error { return m.runtime.Close(ctx) }

package host

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Keys that the host itself uses; those of the peer module have a prefix.
const (
	seedKey    = "device.seed"
	poolKey    = "pool.state"
	peerPrefix = "peer."
)

// store keeps bytes by key: in the files of a directory, or in memory when there
// is none, and then as long as the host lives.
type store struct {
	dir string

	mu  sync.Mutex
	mem map[string][]byte
}

// openStore makes the directory, which only the user may read: it holds the
// device's key.
func openStore(dir string) (*store, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("host: state directory: %w", err)
		}
	}
	return &store{dir: dir, mem: map[string][]byte{}}, nil
}

// fileName maps a key to a file name, and different keys to different ones.
func fileName(key string) string {
	var b strings.Builder
	for i := range len(key) {
		switch c := key[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_', c == '.' && i > 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	switch {
	case b.Len() == 0:
		return "%"
	case b.Len() <= 200:
		return b.String()
	}
	sum := sha256.Sum256([]byte(key))
	return "%%" + hex.EncodeToString(sum[:])
}

// get returns what put kept, and nil if there is nothing.
func (s *store) get(key string) ([]byte, error) {
	if s.dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.mem[key], nil
	}
	b, err := os.ReadFile(filepath.Join(s.dir, fileName(key)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("host: read state: %w", err)
	}
	return b, nil
}

// put keeps data so that a crash leaves either the old bytes or the new ones.
// Empty data forgets the key.
// When it returns nil, they are on disk.
func (s *store) put(key string, data []byte) error {
	if s.dir == "" {
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.mem, key); len(data) > 0 {
			s.mem[key] = append([]byte{}, data...)
		}
		return nil
	}
	if len(data) == 0 {
		if err := os.Remove(filepath.Join(s.dir, fileName(key))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("host: forget state: %w", err)
		}
		return nil
	}
	if err := s.write(filepath.Join(s.dir, fileName(key)), data); err != nil {
		return fmt.Errorf("host: write state: %w", err)
	}
	return nil
}

func (s *store) write(path string, data []byte) (err error) {
	f, err := os.CreateTemp(s.dir, ".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	d, err := os.Open(s.dir)
	if err != nil {
		return nil // renamed; some systems cannot open directories
	}
	_ = d.Sync()
	_ = d.Close()
	return nil
}

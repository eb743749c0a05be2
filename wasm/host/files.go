package host

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

const (
	// inMemory is the most bytes of a file that lie in memory; the peer module
	// reads what is larger piece by piece.
	inMemory = 64 << 20
	// maxRead bounds one piece. The module asks for a few MiB.
	maxRead = 64 << 20
)

// Files opens the files that jobs name, and answers the peer module's reads of
// those that are too large for memory. The zero value is ready.
type Files struct {
	mu   sync.Mutex
	last uint32
	held map[uint32]*content
}

// content is an open file.
type content struct {
	io.ReaderAt
	close func() error
}

// Open opens a file under the name that a job has for it. A file that is packed
// with gzip is unpacked, into a temporary file where it is large.
func (f *Files) Open(name, path string) (wire.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return wire.File{}, err
	}
	st, err := file.Stat()
	if err != nil {
		return wire.File{}, errors.Join(err, file.Close())
	}
	if st.IsDir() {
		return wire.File{}, errors.Join(fmt.Errorf("%s is a directory", path), file.Close())
	}
	in := bufio.NewReaderSize(file, 1<<16)
	magic, err := in.Peek(2)
	packed := err == nil && magic[0] == 0x1f && magic[1] == 0x8b
	if st.Mode().IsRegular() && !packed && st.Size() > inMemory {
		return f.hold(name, uint64(st.Size()), &content{file, file.Close}), nil
	}
	var from io.Reader = in
	if packed {
		if from, err = gzip.NewReader(in); err != nil {
			return wire.File{}, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
		}
	}
	out, err := f.take(name, from)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return out, errors.Join(err, file.Close())
}

// Hold has the module read size bytes of r piece by piece, under the name that a
// job has for them. r must stay as it is until the module releases it; then it
// is closed if it can be.
func (f *Files) Hold(name string, r io.ReaderAt, size uint64) wire.File {
	c := &content{r, func() error { return nil }}
	if closer, ok := r.(io.Closer); ok {
		c.close = closer.Close
	}
	return f.hold(name, size, c)
}

func (f *Files) hold(name string, size uint64, c *content) wire.File {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held == nil {
		f.held = map[uint32]*content{}
	}
	f.last++
	f.held[f.last] = c
	return wire.File{Name: name, Held: f.last, Size: size}
}

// take reads a stream to its end.
func (f *Files) take(name string, from io.Reader) (wire.File, error) {
	data, err := io.ReadAll(io.LimitReader(from, inMemory+1))
	if err != nil {
		return wire.File{}, err
	}
	if len(data) <= inMemory {
		return wire.File{Name: name, Data: data}, nil
	}
	spool, err := os.CreateTemp("", "shoal-*")
	if err != nil {
		return wire.File{}, err
	}
	// Where an open file cannot be removed, that waits for its end.
	left := os.Remove(spool.Name()) != nil
	c := &content{spool, func() error {
		err := spool.Close()
		if left {
			err = errors.Join(err, os.Remove(spool.Name()))
		}
		return err
	}}
	n, err := spool.Write(data)
	if err == nil {
		data = nil
		var more int64
		more, err = io.Copy(spool, from)
		n += int(more)
	}
	if err != nil {
		return wire.File{}, errors.Join(err, c.close())
	}
	return f.hold(name, uint64(n), c), nil
}

// read answers a Read.
func (f *Files) read(e wire.Read) wire.ReadDone {
	f.mu.Lock()
	c := f.held[e.Held]
	f.mu.Unlock()
	why := ""
	switch {
	case c == nil:
		why = "the file is closed"
	case e.Bytes > maxRead:
		why = fmt.Sprintf("a piece of %d bytes is too large", e.Bytes)
	case e.From > 1<<62:
		why = "the place is outside the file"
	default:
		data := make([]byte, e.Bytes)
		// At the end of a file ReadAt may say so beside all the bytes.
		n, err := c.ReadAt(data, int64(e.From))
		if n == len(data) {
			return wire.ReadDone{Ticket: e.Ticket, Data: data}
		}
		if why = "the file is shorter than it was"; err != nil && !errors.Is(err, io.EOF) {
			why = diag.Clip(err.Error(), maxWhy)
		}
	}
	return wire.ReadDone{Ticket: e.Ticket, Why: why}
}

// release closes a file that is not read any more.
func (f *Files) release(held uint32) error {
	f.mu.Lock()
	c := f.held[held]
	delete(f.held, held)
	f.mu.Unlock()
	if c == nil {
		return nil
	}
	return c.close()
}

// Close closes all files that are still held.
func (f *Files) Close() error {
	f.mu.Lock()
	held := f.held
	f.held = nil
	f.mu.Unlock()
	var errs []error
	for _, c := range held {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

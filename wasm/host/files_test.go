package host

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"shoal/sdk/wire"
)

func packed(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFilesAreOpenedWhereTheyFit(t *testing.T) {
	dir := t.TempDir()
	large := make([]byte, inMemory+10)
	copy(large[inMemory:], "0123456789")
	tests := []struct {
		name    string
		content []byte
		want    []byte
		held    bool
	}{
		{"small", []byte("x\n1\n"), []byte("x\n1\n"), false},
		{"empty", nil, nil, false},
		{"one byte", []byte{0x1f}, []byte{0x1f}, false},
		{"packed", packed(t, []byte("x\n1\n")), []byte("x\n1\n"), false},
		{"packed in two parts", append(packed(t, []byte("x\n")), packed(t, []byte("1\n"))...), []byte("x\n1\n"), false},
		{"as large as memory takes", large[:inMemory], large[:inMemory], false},
		{"large", large, large, true},
		{"large and packed", packed(t, large), large, true},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, "file")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			var files Files
			f, err := files.Open("data", path)
			if err != nil {
				t.Fatal(err)
			}
			if f.Name != "data" || (f.Held != 0) != c.held {
				t.Fatalf("held as %d, want held %v", f.Held, c.held)
			}
			if !c.held {
				if !bytes.Equal(f.Data, c.want) || f.Size != 0 {
					t.Errorf("%d bytes, want %d", len(f.Data), len(c.want))
				}
				return
			}
			if f.Size != uint64(len(c.want)) || len(f.Data) != 0 {
				t.Errorf("size %d with %d bytes, want %d", f.Size, len(f.Data), len(c.want))
			}
			for _, r := range [][2]int{{0, 5}, {inMemory - 3, 13}, {inMemory, 10}} {
				got := files.read(wire.Read{Ticket: 3, Held: f.Held, From: uint64(r[0]), Bytes: uint32(r[1])})
				if got.Ticket != 3 || got.Why != "" || !bytes.Equal(got.Data, c.want[r[0]:r[0]+r[1]]) {
					t.Errorf("%d bytes from %d on are %q (%s)", r[1], r[0], got.Data, got.Why)
				}
			}
			if err := files.Close(); err != nil {
				t.Error(err)
			}
			if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "shoal-*")); c.name == "large and packed" && holdsLarge(left) {
				t.Errorf("temporary files are left: %v", left)
			}
		})
	}
}

// holdsLarge reports whether one of the files is a spool of these tests.
func holdsLarge(paths []string) bool {
	for _, p := range paths {
		if st, err := os.Stat(p); err == nil && st.Mode().IsRegular() && st.Size() == inMemory+10 {
			return true
		}
	}
	return false
}

func TestFilesThatCannotBeReadSayWhy(t *testing.T) {
	dir := t.TempDir()
	good := packed(t, []byte("x\n1\n2\n3\n"))
	put := func(name string, b []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	damaged := bytes.Clone(good)
	damaged[len(damaged)-6] ^= 1 // in the checksum
	tests := []struct{ name, path, why string }{
		{"none", filepath.Join(dir, "none"), ""},
		{"a directory", dir, "is a directory"},
		{"gzip that is cut off", put("cut.gz", good[:len(good)-9]), "unexpected EOF"},
		{"gzip that is damaged", put("damaged.gz", damaged), "checksum"},
		{"gzip that is no gzip", put("not.gz", []byte{0x1f, 0x8b, 9, 9, 9, 9, 9, 9, 9, 9}), "header"},
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			var files Files
			if f, err := files.Open("data", c.path); err == nil {
				t.Errorf("it opens as %+v", f)
			} else if !strings.Contains(err.Error(), c.why) || (c.why == "" && !errors.Is(err, fs.ErrNotExist)) {
				t.Errorf("it says %q, want %q", err, c.why)
			}
		})
	}
}

// closing notes that it was closed.
type closing struct {
	*bytes.Reader
	closed chan struct{}
}

func (c closing) Close() error {
	close(c.closed)
	return nil
}

func TestHeldFilesAreReadAndReleasedAsTheModuleAsks(t *testing.T) {
	var files Files
	source := closing{bytes.NewReader([]byte("0123456789")), make(chan struct{})}
	f := files.Hold("data", source, 10)
	other := closing{bytes.NewReader(nil), make(chan struct{})}
	files.Hold("other", other, 0)
	h, s := scriptedHost(t, Config{Files: &files}, func(ev wire.Event) ([]wire.Effect, error) {
		switch ev.(type) {
		case wire.Submit:
			return []wire.Effect{
				wire.Read{Ticket: 1, Held: f.Held, From: 2, Bytes: 3},
				wire.Read{Ticket: 2, Held: f.Held, From: 8, Bytes: 3},
				wire.Read{Ticket: 3, Held: 99, From: 0, Bytes: 1},
				wire.Read{Ticket: 4, Held: f.Held, From: 1 << 63, Bytes: 1},
				wire.Read{Ticket: 5, Held: f.Held, From: 0, Bytes: maxRead + 1},
			}, nil
		case wire.Cancel:
			return []wire.Effect{wire.Release{Held: f.Held}, wire.Release{Held: f.Held}, wire.Read{Ticket: 6, Held: f.Held}}, nil
		default:
			return nil, nil
		}
	})
	h.Send(wire.Submit{Run: 1})
	want := map[uint32]string{1: "", 2: "shorter", 3: "closed", 4: "outside", 5: "too large", 6: "closed"}
	for len(want) > 0 {
		var e wire.ReadDone
		select {
		case ev := <-s.seen:
			done, ok := ev.(wire.ReadDone)
			if !ok {
				continue
			}
			e = done
		case <-time.After(patience):
			t.Fatalf("no answer came to %v", want)
		}
		why := want[e.Ticket]
		delete(want, e.Ticket)
		if (why == "") != (e.Why == "") || !strings.Contains(e.Why, why) || (why == "" && string(e.Data) != "234") {
			t.Errorf("the answer is %+v, want %q", e, why)
		}
		if len(want) == 1 {
			h.Send(wire.Cancel{Run: 1})
			<-source.closed
		}
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	<-other.closed
}

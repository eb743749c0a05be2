package signal

import (
	"fmt"
	"io"
	"net/http"
	"sync"
)

// tap writes down all that a server reads and writes, so that a test can show
// what it does not see. Each record is a line and the bytes that it announces:
//
//	ws <connection> <direction> <length>\n<bytes>\n
//	http <direction> <length>\n<bytes>\n
//
// with < for what was read and > for what was written. WebSocket messages are
// recorded unmasked: on the line, a browser's bytes are masked and would hide
// what a search looks for.
type tap struct {
	mu  sync.Mutex
	out io.Writer
}

func newTap(out io.Writer) *tap {
	if out == nil {
		return nil
	}
	return &tap{out: out}
}

func (t *tap) record(conn uint32, direction byte, data []byte) {
	if t != nil {
		t.write(fmt.Sprintf("ws %d %c %d\n", conn, direction, len(data)), data)
	}
}

func (t *tap) write(head string, data []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, _ = io.WriteString(t.out, head)
	_, _ = t.out.Write(data)
	_, _ = io.WriteString(t.out, "\n")
}

// wrap records requests that are no WebSockets, and their answers.
func (t *tap) wrap(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head := []byte(r.Method + " " + r.RequestURI + "\n")
		for k, values := range r.Header {
			for _, v := range values {
				head = append(head, k+": "+v+"\n"...)
			}
		}
		t.write(fmt.Sprintf("http < %d\n", len(head)), head)
		if r.Header.Get("Upgrade") == "" {
			w = &tapped{ResponseWriter: w, tap: t}
		}
		next.ServeHTTP(w, r)
	})
}

type tapped struct {
	http.ResponseWriter
	tap *tap
}

func (w *tapped) Write(b []byte) (int, error) {
	w.tap.write(fmt.Sprintf("http > %d\n", len(b)), b)
	return w.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (w *tapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

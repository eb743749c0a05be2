package browser

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
)

// answering makes an rpc whose peer answers each call with what f returns; "ID"
// stands for the call's id.
func answering(f func(method string) []string) *rpc {
	r := &rpc{event: func(string, string, json.RawMessage) {}}
	r.send = func(data []byte) error {
		var m message
		if err := json.Unmarshal(data, &m); err != nil {
			return err
		}
		for _, answer := range f(m.Method) {
			r.receive([]byte(strings.ReplaceAll(answer, "ID", strconv.Itoa(m.ID))))
		}
		return nil
	}
	return r
}

func TestCallsGetTheirAnswers(t *testing.T) {
	for _, c := range []struct {
		name    string
		answers []string
		want    string // the value, or part of the error
	}{
		{"result", []string{`{"id":ID,"result":{"v":"x"}}`}, "x"},
		{"noise before", []string{`{`, `null`, `{"method":"e"}`, `{"id":99,"result":{}}`, `{"id":ID,"result":{"v":"x"}}`}, "x"},
		{"second answer", []string{`{"id":ID,"result":{"v":"x"}}`, `{"id":ID,"result":{"v":"y"}}`}, "x"},
		{"DevTools error", []string{`{"id":ID,"error":{"code":-1,"message":"bad","data":"why"}}`}, "m: bad: why"},
		{"BiDi error", []string{`{"type":"error","id":ID,"error":"no such frame","message":"why"}`}, "m: no such frame: why"},
		{"result of another shape", []string{`{"id":ID,"result":[1]}`}, "m: json"},
	} {
		r := answering(func(string) []string { return c.answers })
		var out struct{ V string }
		err := r.call(soon(t), "", "m", nil, &out)
		if got := out.V; err == nil && got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

func TestCallsEndWithTheirContextAndWithTheConnection(t *testing.T) {
	r := answering(func(string) []string { return nil })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.call(ctx, "", "m", nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	r.send = func([]byte) error { go r.hangUp(); return nil }
	if err := r.call(soon(t), "", "m", nil, nil); !errors.Is(err, errGone) {
		t.Errorf("the connection ended during the call: got %v, want %v", err, errGone)
	}
	if err := r.call(soon(t), "", "m", nil, nil); !errors.Is(err, errGone) {
		t.Errorf("the connection ended before the call: got %v, want %v", err, errGone)
	}
	if n := len(r.wait); n != 0 {
		t.Errorf("%d calls are still waited for", n)
	}
}

func TestCallsEndWithTheirSession(t *testing.T) {
	r := answering(func(string) []string { return nil })
	r.send = func([]byte) error { go r.endSession("tab"); return nil }
	if err := r.call(soon(t), "tab", "m", nil, nil); !errors.Is(err, errClosed) {
		t.Errorf("got %v, want %v", err, errClosed)
	}
}

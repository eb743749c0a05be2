package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
)

// errGone is the answer to every call once the connection has ended.
var errGone = errors.New("the browser is gone")

// errClosed is the answer to a call that its tab did not live to answer.
var errClosed = errors.New("the tab is closed")

// writeTimeout bounds handing a message to the browser's end of the connection.
const writeTimeout = 30 * time.Second

// rpc matches answers to calls for both JSON protocols: the DevTools protocol
// and WebDriver BiDi agree on id, method, params and result, and differ in what
// an error looks like.
type rpc struct {
	// send writes one whole message or breaks the connection, so it is bounded
	// by writeTimeout and not by any call's context.
	send func([]byte) error
	// event gets every message without an id, in order, on the reader's
	// goroutine: it must not call.
	event func(method, session string, params json.RawMessage)

	mu   sync.Mutex
	last int
	wait map[int]waiter
	gone error
}

// waiter is a call without an answer yet.
type waiter struct {
	session string
	answer  chan message // closed when no answer will come
}

// object is a JSON object.
type object = map[string]any

type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
	Message string          `json:"message,omitempty"`
}

// protocolError is a call that the browser answered with an error.
type protocolError struct{ method, text string }

func (e *protocolError) Error() string { return e.method + ": " + e.text }

// call sends one command and decodes its result into out, unless out is nil.
// session addresses a DevTools target; it is "" for the browser itself.
func (r *rpc) call(ctx context.Context, session, method string, params object, out any) error {
	if params == nil {
		params = object{}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", method, context.Cause(ctx))
	}
	answer := make(chan message, 1)
	r.mu.Lock()
	if r.gone != nil {
		r.mu.Unlock()
		return fmt.Errorf("%s: %w", method, r.gone)
	}
	r.last++
	id := r.last
	if r.wait == nil {
		r.wait = map[int]waiter{}
	}
	r.wait[id] = waiter{session, answer}
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		delete(r.wait, id)
		r.mu.Unlock()
	}()

	data, err := json.Marshal(message{ID: id, Session: session, Method: method, Params: params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if err := r.send(data); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case m, ok := <-answer:
		if !ok {
			return fmt.Errorf("%s: %w", method, r.why())
		}
		if m.Error != nil {
			return &protocolError{method, errorText(m)}
		}
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(m.Result, out); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: no answer: %w", method, context.Cause(ctx))
	}
}

// why says why no answer will come.
func (r *rpc) why() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gone != nil {
		return r.gone
	}
	return errClosed
}

func errorText(m message) string {
	var short string
	if json.Unmarshal(m.Error, &short) == nil { // BiDi: a code, and a message beside it
		return short + ": " + m.Message
	}
	var long struct{ Message, Data string }
	if json.Unmarshal(m.Error, &long) == nil { // DevTools: an object
		if long.Data != "" {
			return long.Message + ": " + long.Data
		}
		return long.Message
	}
	return string(m.Error)
}

// receive handles one incoming message. What cannot be parsed is dropped: the
// call it belonged to runs into its time-out.
func (r *rpc) receive(data []byte) {
	var m struct {
		message
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal(data, &m) != nil {
		return
	}
	if m.ID == 0 {
		if m.Method != "" {
			r.event(m.Method, m.Session, m.Params)
		}
		return
	}
	r.mu.Lock()
	w, ok := r.wait[m.ID]
	delete(r.wait, m.ID)
	r.mu.Unlock()
	if ok {
		w.answer <- m.message
	}
}

// endSession fails the open calls of a session that has ended; the browser
// does not answer them.
func (r *rpc) endSession(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, w := range r.wait {
		if w.session == session {
			close(w.answer)
			delete(r.wait, id)
		}
	}
}

// hangUp fails every open and later call.
func (r *rpc) hangUp() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone = errGone
	for id, w := range r.wait {
		close(w.answer)
		delete(r.wait, id)
	}
}

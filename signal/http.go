package signal

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"shoal/sdk/diag"
	"shoal/sdk/engine"
	"shoal/sdk/wire"
)

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/ws", s.serveSocket)
	mux.HandleFunc("GET /v1/invite", s.serveInvite)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", s.serveReady)
	mux.HandleFunc("GET /metrics", s.serveMetrics)
	mux.HandleFunc("GET /diag", s.serveDiag)
	if s.cfg.Static != nil {
		mux.Handle("/", s.cfg.Static)
	}
	return s.tap.wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		mux.ServeHTTP(w, r)
	}))
}

// serveSocket makes a WebSocket. The handler returns at once, so that the memory
// of the request is free while the connection lives.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	if !s.allowOrigin(r) {
		s.deny(w, http.StatusForbidden, "server/origin", "pages of "+clip(r.Header.Get("Origin"))+" may not connect")
		return
	}
	if r.Header.Get("Upgrade") == "" {
		s.deny(w, http.StatusUpgradeRequired, "server/no-upgrade", "the request does not ask for a WebSocket")
		return
	}
	from := s.client(r)
	place, ok := s.gate.enter(from.network)
	if !ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryBusy.Seconds())))
		s.deny(w, http.StatusTooManyRequests, "server/busy", "there are as many connections as allowed, from this network or in all")
		return
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		s.gate.leave(place)
		return // the upgrader has answered
	}
	c := &conn{
		server: s, number: s.numbers.Add(1), ws: ws, from: from, out: newOutbox(s.cfg.Limits.Backlog + slack),
		flushed: make(chan struct{}),
	}
	if !s.begin(c) {
		s.gate.leave(place)
		_ = ws.Close()
		return
	}
	go func() {
		defer s.finish(c)
		defer s.gate.leave(place)
		c.serve()
	}()
}

// begin notes a connection, unless the server has ended.
func (s *Server) begin(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.conns[c] = struct{}{}
	s.wait.Add(1)
	return true
}

func (s *Server) finish(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	s.wait.Done()
}

// serveReady tells whether new peers are welcome. That a disk fails does not
// make the process dead, so that livez does not say so.
func (s *Server) serveReady(w http.ResponseWriter, _ *http.Request) {
	switch {
	case s.draining.Load():
		plain(w, http.StatusServiceUnavailable, "draining")
	case s.stats.broken.Load():
		plain(w, http.StatusServiceUnavailable, "the last write to disk failed")
	default:
		plain(w, http.StatusOK, "ready")
	}
}

// diagnosis is what /diag tells anybody who can reach the server.
type diagnosis struct {
	Engine   string `json:"engine"`
	Wire     uint32 `json:"wire"`
	Ready    bool   `json:"ready"`
	UptimeMs int64  `json:"uptimeMs"`
	// TLS tells whether this request came over it, to the server or to a proxy
	// in front that says so.
	TLS bool `json:"tls"`
	// Forwarded tells that a proxy stands between, Local that the request comes
	// from the server's own machine.
	Forwarded bool `json:"forwarded"`
	Local     bool `json:"local"`
	Keeper    bool `json:"keeper"`
}

func (s *Server) serveDiag(w http.ResponseWriter, r *http.Request) {
	d := diagnosis{
		Engine: engine.ID().String(), Wire: wire.Version, UptimeMs: time.Since(s.start).Milliseconds(),
		Ready: !s.draining.Load() && !s.stats.broken.Load(), Local: s.client(r).local, Keeper: s.keeper != nil,
		TLS: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	}
	for _, h := range forwarding {
		d.Forwarded = d.Forwarded || len(r.Header[h]) > 0
	}
	answer(w, http.StatusOK, d)
}

// serveInvite hands out the keeper's invite link. Whoever has the link is
// admitted, so that it stays on this machine.
func (s *Server) serveInvite(w http.ResponseWriter, r *http.Request) {
	switch {
	case !s.client(r).local || !s.sameSite(r):
		s.deny(w, http.StatusForbidden, "server/not-local", "the invite is shown to programs and pages of the server's own machine")
	case s.keeper == nil:
		s.deny(w, http.StatusNotFound, "server/no-keeper", "the server keeps no pool of its own")
	default:
		url, err := s.keeper.invite(r.Context())
		if err != nil {
			s.deny(w, http.StatusServiceUnavailable, "server/no-keeper", err.Error())
			return
		}
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		answer(w, http.StatusOK, struct {
			URL string `json:"url"`
		}{url})
	}
}

// refusal is the form of a refusal in an HTTP answer.
type refusal struct {
	Code  string `json:"code"`
	Title string `json:"title"`
	Why   string `json:"why"`
	Fix   string `json:"fix"`
	Docs  string `json:"docs"`
}

func (s *Server) deny(w http.ResponseWriter, status int, code, why string) {
	s.stats.refuse(code)
	r := diag.New(code, why)
	answer(w, status, struct {
		Refusal refusal `json:"refusal"`
	}{refusal{r.Code, r.Title, r.Why, r.Fix, r.Docs()}})
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}

// clip shortens what is quoted from outside.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return strconv.QuoteToASCII(s)
	}
	return strconv.QuoteToASCII(s[:most]) + "…"
}

package signal

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/wire"
)

func TestTheServersOwnPages(t *testing.T) {
	s := serve(t, Config{Token: "sesame", AllowOpen: true, Static: Files(site())})
	_, port, _ := strings.Cut(s.addr, ":")
	proxied := http.Header{"X-Forwarded-For": {"192.0.2.7"}}
	with := func(h http.Header, k, v string) http.Header {
		h = h.Clone()
		if h == nil {
			h = http.Header{}
		}
		h.Set(k, v)
		return h
	}
	for _, c := range []struct {
		name, path string
		header     http.Header
		code       int
		want       string
	}{
		{"alive", "/livez", proxied, 200, "alive"},
		{"ready", "/readyz", proxied, 200, "ready"},
		{"a file", "/peer.wasm", proxied, 200, "\x00asm"},
		{"counters here", "/metrics", nil, 200, "shoal_connections 0"},
		{"counters elsewhere", "/metrics", proxied, 403, "server/not-local"},
		{"counters elsewhere with the token", "/metrics", with(proxied, "Authorization", "Bearer sesame"), 200, "shoal_rooms 0"},
		{"counters elsewhere with another token", "/metrics", with(proxied, "Authorization", "Bearer sesam"), 403, "server/not-local"},
		{"diagnosis here", "/diag", nil, 200, `"local":true`},
		{"diagnosis elsewhere", "/diag", proxied, 200, `"forwarded":true`},
		{"an invite without a keeper", "/v1/invite", nil, 404, "server/no-keeper"},
		{"an invite elsewhere", "/v1/invite", proxied, 403, "server/not-local"},
		{"an invite for a page of this machine", "/v1/invite", http.Header{"Origin": {"http://localhost:" + port}}, 404, "server/no-keeper"},
		{"an invite for a stranger's page", "/v1/invite", http.Header{"Origin": {"https://evil.example"}}, 403, "server/not-local"},
		{"an invite for a stranger's script tag", "/v1/invite", http.Header{"Sec-Fetch-Site": {"cross-site"}}, 403, "server/not-local"},
		{"an invite for another port's page", "/v1/invite", http.Header{"Sec-Fetch-Site": {"same-site"}}, 403, "server/not-local"},
		{"an invite under a stranger's name", "/v1/invite", http.Header{"Host": {"evil.example:80"}, "Origin": {"http://evil.example:80"}}, 403, "server/not-local"},
		{"a socket without an upgrade", "/v1/ws", nil, 426, "server/no-upgrade"},
		{"nothing", "/v1/nothing", nil, 404, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, body := s.get(c.path, c.header)
			if code != c.code || !strings.Contains(body, c.want) {
				t.Errorf("got %d %q, want %d with %q", code, body, c.code, c.want)
			}
		})
	}
}

func TestARefusalOverHTTPSaysHowToFixIt(t *testing.T) {
	s := serve(t, Config{})
	_, body := s.get("/v1/ws", http.Header{"Origin": {"https://evil.example"}, "Upgrade": {"websocket"}})
	var got struct{ Refusal refusal }
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	row, _ := diag.Lookup("server/origin")
	if got.Refusal.Code != row.Code || got.Refusal.Title != row.Title || got.Refusal.Fix != row.Fix ||
		!strings.Contains(got.Refusal.Why, "https://evil.example") || got.Refusal.Docs != "docs/errors/server/origin.md" {
		t.Errorf("got %+v", got.Refusal)
	}
}

// Labels are from fixed lists, every line is well formed, and no peer, room or
// address shows.
func TestCountersNameNobody(t *testing.T) {
	s := serve(t, Config{AllowOpen: true})
	c := founded(t, s.addr, "", 1)
	a := c.join(t, s.addr, 0)
	a.send(wire.RelayTo{To: c.keeper.seed.peer(), Body: []byte("x")})
	c.keeper.waits("a frame", func(m *member) bool { return len(kinds[wire.RelayFrom](m.got)) == 1 })
	r := s.raw("")
	r.greet(newSeed(), wire.Hello{Room: c.room})
	next[wire.Turned](r)
	_, body := s.get("/metrics", nil)
	line := regexp.MustCompile(`^shoal_[a-z_]+(\{(code|direction|le)="[a-z0-9/.+\-I]+nf?"?\}|\{(code|direction|le)="[a-z0-9/.+\-]+"\})? -?[0-9.e+\-]+$`)
	typed := map[string]bool{}
	for _, l := range strings.Split(strings.TrimSpace(body), "\n") {
		if f := strings.Fields(l); f[0] == "#" {
			typed[f[2]] = true
			continue
		}
		if !line.MatchString(l) {
			t.Errorf("%q is no line of metrics", l)
		}
		name, _, _ := strings.Cut(strings.Fields(l)[0], "{")
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
		if !typed[name] && !typed[base] {
			t.Errorf("%s has no type", name)
		}
	}
	for _, secret := range []string{c.room.String(), c.keeper.seed.peer().String()[:8], a.seed.peer().String()[:8], "127.0.0.1"} {
		if strings.Contains(body, secret) {
			t.Errorf("%s shows", secret)
		}
	}
	for name, want := range map[string]string{
		"shoal_rooms": "1", "shoal_welcomed_total": "2",
		`shoal_refused_total{code="pool/no-room"}`: "1", `shoal_relay_frames_total{direction="out"}`: "1",
	} {
		if got := s.metric(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if n, err := strconv.Atoi(s.metric("shoal_journal_entries_total")); err != nil || n < 2 {
		t.Errorf("%d entries, %v", n, err)
	}
}

// Neither the token nor anything of the keeper's secrets is in what a server
// logs at the levels that people keep.
func TestTheLogHoldsNoSecrets(t *testing.T) {
	s := serve(t, Config{Token: "correct horse battery", AllowOpen: true, Keeper: "http://127.0.0.1:1/"})
	url, err := s.keeper.invite(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := s.raw("")
	r.greet(newSeed(), wire.Hello{Open: true, Token: "wrong horse battery"})
	_, secret, _ := strings.Cut(url, "#join=")
	for _, x := range []string{"correct horse", "wrong horse", secret} {
		if strings.Contains(s.log.String(), x) {
			t.Errorf("the log holds %q", x)
		}
	}
}

func TestEveryServerRefusalHasAPage(t *testing.T) {
	for _, c := range diag.All() {
		if !strings.HasPrefix(c.Code, "server/") {
			continue
		}
		page, err := os.ReadFile("../" + diag.Page(c.Code))
		if err != nil || !bytes.HasPrefix(page, []byte("# "+c.Code+"\n")) {
			t.Errorf("%s: no page (%v)", c.Code, err)
		}
	}
}

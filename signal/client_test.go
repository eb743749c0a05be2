package signal

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

func TestOnlyPagesOfAllowedOriginsConnect(t *testing.T) {
	s := serve(t, Config{AllowOpen: true, Origins: []string{"https://lab.example"}})
	_, port, _ := strings.Cut(s.addr, ":")
	for _, c := range []struct {
		name   string
		header http.Header
		ok     bool
	}{
		{"a program without an origin", nil, true},
		{"the server's own page", http.Header{"Origin": {"http://" + s.addr}}, true},
		{"its page under another name of this machine", http.Header{"Origin": {"http://localhost:" + port}}, true},
		{"a listed origin", http.Header{"Origin": {"https://lab.example"}}, true},
		{"a listed origin in capitals", http.Header{"Origin": {"HTTPS://LAB.EXAMPLE"}}, true},
		{"a listed name over plain HTTP", http.Header{"Origin": {"http://lab.example"}}, false},
		{"a stranger", http.Header{"Origin": {"https://evil.example"}}, false},
		{"a stranger whose name begins alike", http.Header{"Origin": {"https://lab.example.evil.example"}}, false},
		{"another port of this machine", http.Header{"Origin": {"http://localhost:1"}}, false},
		{"no origin to speak of", http.Header{"Origin": {"null"}}, false},
		{"an empty origin", http.Header{"Origin": {""}}, false},
		{"a file", http.Header{"Origin": {"file://"}}, false},
		{"two origins", http.Header{"Origin": {"http://" + s.addr, "https://evil.example"}}, false},
		{"a stranger in the name of the host", http.Header{"Origin": {"http://" + s.addr + ".evil.example"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ws, err := dial(t, s.addr, "", c.header)
			if (err == nil) != c.ok {
				t.Errorf("got %v, want ok = %v", err, c.ok)
			}
			if err == nil {
				ws.Close()
			} else if !strings.Contains(err.Error(), "403") {
				t.Errorf("got %v, want 403", err)
			}
		})
	}
	// The check stands at the handler, not at a spelling of its path.
	for _, path := range []string{"/v1%2fws", "/v1/%77s", "//v1/ws", "/v1/./ws"} {
		code, _ := s.get(path, http.Header{
			"Origin": {"https://evil.example"}, "Connection": {"Upgrade"}, "Upgrade": {"websocket"},
			"Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {"AAAAAAAAAAAAAAAAAAAAAA=="},
		})
		if code == http.StatusSwitchingProtocols {
			t.Errorf("%s: connected", path)
		}
	}
}

func TestWhoMayBeBelievedAboutAnAddress(t *testing.T) {
	s := serve(t, Config{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.1/32")}})
	for _, c := range []struct {
		name, remote string
		forwarded    []string
		network      string
	}{
		{"nobody between", "192.0.2.7:1", nil, "192.0.2.7/32"},
		{"a claim without a proxy", "192.0.2.7:1", []string{"198.51.100.1"}, "192.0.2.7/32"},
		{"a proxy", "10.0.0.1:1", []string{"198.51.100.1"}, "198.51.100.1/32"},
		{"a claim before a proxy", "10.0.0.1:1", []string{"6.6.6.6, 198.51.100.1"}, "198.51.100.1/32"},
		{"two proxies", "10.0.0.1:1", []string{"6.6.6.6, 198.51.100.1, 10.0.0.2"}, "198.51.100.1/32"},
		{"two headers", "10.0.0.1:1", []string{"6.6.6.6", "198.51.100.1"}, "198.51.100.1/32"},
		{"a proxy that says nonsense", "10.0.0.1:1", []string{"unknown"}, "10.0.0.1/32"},
		{"IPv6 by the customer's net", "[2001:db8:1:2:3:4:5:6]:1", nil, "2001:db8:1:2::/64"},
		{"IPv4 in IPv6", "[::ffff:192.0.2.7]:1", nil, "192.0.2.7/32"},
		{"a link-local address", "[fe80::1%eth0]:1", nil, "fe80::/64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &http.Request{RemoteAddr: c.remote, Header: http.Header{"X-Forwarded-For": c.forwarded}, Host: "localhost"}
			if got := s.client(r); got.network.String() != c.network || got.local {
				t.Errorf("got %s, local %v; want %s", got.network, got.local, c.network)
			}
		})
	}
}

func TestNetworkNumbersAreARoomsOwn(t *testing.T) {
	a, b := netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("192.0.2.8/32")
	one, other := [16]byte{1}, [16]byte{2}
	// HMAC-SHA-256 of four address bytes and the prefix length, under the salt.
	if got := networkNumber(one, a); got != 2688453805 {
		t.Errorf("got %d; a number that changes makes one network two after a restart", got)
	}
	if networkNumber(one, a) == networkNumber(one, b) {
		t.Error("two networks have one number")
	}
	if networkNumber(one, a) == networkNumber(other, a) {
		t.Error("two rooms see the same number of a network")
	}
	if networkNumber(one, netip.Prefix{}) != 0 {
		t.Error("an unknown network has a number")
	}
}

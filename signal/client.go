package signal

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// client is where a request comes from.
type client struct {
	addr netip.Addr
	// network is what counts as one place: an IPv4 address, or the /64 that a
	// provider gives to one customer.
	network netip.Prefix
	// local tells that a program on this machine asked this machine. A page of
	// a stranger whose name resolves to this machine is not local, since it says
	// that name.
	local bool
	// inside is the keeper, which lives in this process.
	inside bool
}

// forwarding are the headers that proxies add; a request with one of them was
// not made by a program on this machine, whatever its address.
var forwarding = [...]string{
	"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via",
	"Cf-Connecting-Ip", "True-Client-Ip", "X-Client-Ip",
}

// insideKey marks the requests of the keeper.
type insideKey struct{}

func (s *Server) client(r *http.Request) client {
	if r.Context().Value(insideKey{}) != nil {
		return client{local: true, inside: true}
	}
	var c client
	if at, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		c.addr = at.Addr().Unmap().WithZone("")
	}
	forwarded := false
	for _, h := range forwarding {
		forwarded = forwarded || len(r.Header[h]) > 0
	}
	c.local = c.addr.IsLoopback() && !forwarded && loopbackName(hostOf(r.Host))
	c.addr = s.behindProxies(c.addr, r.Header["X-Forwarded-For"])
	c.network = networkOf(c.addr)
	return c
}

// behindProxies returns the address that the outermost trusted proxy saw: the
// last one of the list that is no trusted proxy itself. What stands before it
// is the client's own claim.
func (s *Server) behindProxies(addr netip.Addr, headers []string) netip.Addr {
	list := strings.Split(strings.Join(headers, ","), ",")
	for i := len(list) - 1; i >= 0 && s.isProxy(addr); i-- {
		next, err := netip.ParseAddr(strings.TrimSpace(list[i]))
		if err != nil {
			break
		}
		addr = next.Unmap().WithZone("")
	}
	return addr
}

func (s *Server) isProxy(addr netip.Addr) bool {
	for _, p := range s.cfg.Proxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

func networkOf(addr netip.Addr) netip.Prefix {
	bits := 64
	if addr.Is4() {
		bits = 32
	}
	p, _ := addr.Prefix(bits) // the zero Prefix for the zero address
	return p
}

// networkNumber names a network to the peers of one room. The room's salt keeps
// the addresses from them, and makes the number the same after a restart. It is
// never 0, which stands for an unknown network.
func networkNumber(salt [16]byte, network netip.Prefix) uint32 {
	if !network.IsValid() {
		return 0
	}
	h := hmac.New(sha256.New, salt[:])
	b, _ := network.MarshalBinary() // never fails
	h.Write(b)
	return max(1, binary.BigEndian.Uint32(h.Sum(nil)))
}

func hostOf(hostport string) string {
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		return h
	}
	return strings.Trim(hostport, "[]")
}

func loopbackName(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.Unmap().IsLoopback()
}

// allowOrigin reports whether a page may connect: a page of this server, of an
// origin on the list, or no page at all, since programs send no Origin and prove
// who they are by their key.
func (s *Server) allowOrigin(r *http.Request) bool {
	values := r.Header["Origin"]
	if len(values) == 0 {
		return true
	}
	if len(values) > 1 {
		return false
	}
	for _, o := range s.cfg.Origins {
		if strings.EqualFold(values[0], o) {
			return true
		}
	}
	u, err := url.Parse(values[0])
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return false
	}
	if strings.EqualFold(u.Host, r.Host) {
		return true
	}
	// A page from http://localhost:8080 may name the same server 127.0.0.1:8080.
	_, here, err1 := net.SplitHostPort(r.Host)
	return err1 == nil && u.Port() == here && loopbackName(u.Hostname()) && loopbackName(hostOf(r.Host))
}

// sameSite reports whether the request was not caused by a page of another
// origin, as far as the browser tells.
func (s *Server) sameSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return s.allowOrigin(r)
	}
	return false
}

// trusted reports whether a request comes from this machine or carries the
// server's token.
func (s *Server) trusted(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if ok && s.tokenIs(token) {
		return true
	}
	return s.client(r).local && s.sameSite(r)
}

// tokenIs compares in constant time, the length included: both are hashed.
func (s *Server) tokenIs(token string) bool {
	a, b := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(s.cfg.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1 && s.cfg.Token != ""
}

package trust

import (
	"encoding/base64"
	"strings"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

// An invite link is a page's address with the invitation in its fragment, which
// browsers do not send to servers:
//
//	https://host/#join=<base64url of the CBOR of wire.Invitation, unpadded>
//
// The server is the one that served the page.
const (
	joinKey = "join="
	wsPath  = "/v1/ws"
	maxURL  = 2048 // bytes of a link
)

// PSK returns the pre-shared key of the handshake between guest and keeper.
func PSK(inv wire.Invitation) [32]byte {
	return id.Sum("shoal-invite/1", inv.Room[:], inv.Secret[:])
}

// FormatInvite returns the invite link for the page at base, an http or https
// address whose fragment, if any, is replaced. It returns trust/invite for
// another address.
func FormatInvite(base string, inv wire.Invitation) (string, error) {
	base, _, _ = strings.Cut(base, "#")
	_, path, err := origin(base)
	if err != nil {
		return "", err
	}
	if path == "" {
		base += "/"
	}
	return base + "#" + joinKey + base64.RawURLEncoding.EncodeToString(inv.Append(nil)), nil
}

// ParseInvite returns the address of the server's WebSocket and the invitation
// that the link holds, or trust/invite. Space around the link is ignored, since
// links are pasted.
func ParseInvite(link string) (server string, inv wire.Invitation, err error) {
	link = strings.TrimSpace(link)
	if len(link) > maxURL {
		return "", inv, badInvite("it has more than 2048 characters")
	}
	page, fragment, _ := strings.Cut(link, "#")
	if server, err = ServerURL(page); err != nil {
		return "", inv, err
	}
	code, ok := strings.CutPrefix(fragment, joinKey)
	if !ok {
		return "", inv, badInvite("the part after # does not begin with join=")
	}
	// Strict: trailing bits that are not zero are an error, so that one
	// invitation has one link.
	raw, err := base64.RawURLEncoding.Strict().DecodeString(code)
	if err != nil || strings.ContainsAny(code, "\r\n") {
		return "", inv, badInvite("the part after join= is cut or altered")
	}
	if inv, err = wire.DecodeInvitation(raw); err != nil {
		return "", wire.Invitation{}, badInvite("the part after join= is cut or altered")
	}
	return server, inv, nil
}

// ServerURL returns the WebSocket address of the server that serves the page at
// base: ws for http, wss for https. It returns trust/invite for other addresses.
func ServerURL(base string) (string, error) {
	base, _, _ = strings.Cut(base, "#")
	server, _, err := origin(base)
	if err != nil {
		return "", err
	}
	return server + wsPath, nil
}

// origin splits a page's address in the WebSocket scheme and host on one side,
// path and query on the other.
func origin(page string) (server, path string, err error) {
	scheme, rest, ok := strings.Cut(page, "://")
	if !ok {
		return "", "", badInvite("it is not a web address")
	}
	switch lower(scheme) {
	case "https":
		scheme = "wss://"
	case "http":
		scheme = "ws://"
	default:
		return "", "", badInvite("its address begins with neither https:// nor http://")
	}
	host := rest
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if !validHost(host) {
		return "", "", badInvite("its address has no valid host")
	}
	for i := 0; i < len(path); i++ {
		if c := path[i]; c <= ' ' || c >= 0x7f || c == '\\' || c == '"' || c == '<' || c == '>' {
			return "", "", badInvite("its address has a character that must be escaped")
		}
	}
	return scheme + lower(host), path, nil
}

// lower makes the letters of ASCII small, which is all that schemes and hosts have.
// Package strings knows every alphabet's letters, for 9 KB of the module.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] += 'a' - 'A'
		}
	}
	return string(b)
}

// validHost accepts name, name:port, 1.2.3.4:port and [v6]:port. A name and
// password before an @ is refused: it serves to disguise addresses.
func validHost(h string) bool {
	name, port := h, ""
	if strings.HasPrefix(h, "[") {
		i := strings.IndexByte(h, ']')
		if i < 3 || strings.Trim(h[1:i], "0123456789abcdefABCDEF:.") != "" {
			return false
		}
		name, port = h[:i+1], h[i+1:]
	} else {
		if i := strings.IndexByte(h, ':'); i >= 0 {
			name, port = h[:i], h[i:]
		}
		for i := 0; i < len(name); i++ {
			c := name[i] | 0x20
			if !(c >= 'a' && c <= 'z' || name[i] >= '0' && name[i] <= '9' || name[i] == '.' || name[i] == '-' || name[i] == '_') {
				return false
			}
		}
	}
	if name == "" || port == ":" || len(port) > 6 {
		return false
	}
	return port == "" || port[0] == ':' && strings.Trim(port[1:], "0123456789") == ""
}

func badInvite(why string) error { return diag.New("trust/invite", why) }

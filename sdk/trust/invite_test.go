package trust

import (
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

var invitation = wire.Invitation{Room: id.Room{1, 2}, Keeper: id.Peer{3, 4}, Secret: wire.Nonce{5, 6}}

func TestInviteLinkIsReadAsItWasWritten(t *testing.T) {
	for _, c := range []struct{ base, page, server string }{
		{"https://host/", "https://host/#join=", "wss://host/v1/ws"},
		{"https://host", "https://host/#join=", "wss://host/v1/ws"},
		{"https://Host.Example:8443/play?x=1", "https://Host.Example:8443/play?x=1#join=", "wss://host.example:8443/v1/ws"},
		{"http://localhost:8080/", "http://localhost:8080/#join=", "ws://localhost:8080/v1/ws"},
		{"http://192.168.1.7:8080/#old", "http://192.168.1.7:8080/#join=", "ws://192.168.1.7:8080/v1/ws"},
		{"HTTPS://[2001:db8::1]:443/", "HTTPS://[2001:db8::1]:443/#join=", "wss://[2001:db8::1]:443/v1/ws"},
	} {
		t.Run(c.base, func(t *testing.T) {
			link, err := FormatInvite(c.base, invitation)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(link, c.page) {
				t.Errorf("link %s, want %s…", link, c.page)
			}
			server, inv, err := ParseInvite("  " + link + "\n")
			if err != nil || server != c.server || inv != invitation {
				t.Errorf("got %q, %v, %v, want %q", server, inv, err, c.server)
			}
		})
	}
}

func TestBrokenInviteLinkIsRefused(t *testing.T) {
	good, err := FormatInvite("https://host/", invitation)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, link string }{
		{"empty", ""},
		{"no fragment", "https://host/"},
		{"another fragment", "https://host/#jion=AA"},
		{"cut", good[:len(good)-1]},
		{"cut in the middle", good[:len(good)-40]},
		{"longer", good + "A"},
		{"padded", good + "="},
		{"broken over lines", good[:60] + "\n" + good[60:]},
		{"other alphabet", strings.Replace(good, "=", "=+", 1)},
		{"no scheme", strings.TrimPrefix(good, "https://")},
		{"ftp", strings.Replace(good, "https", "ftp", 1)},
		{"long s in the scheme", strings.Replace(good, "https", "http\u017f", 1)},
		{"javascript", strings.Replace(good, "https", "javascript", 1)},
		{"no host", strings.Replace(good, "host", "", 1)},
		{"password before the host", strings.Replace(good, "host", "host@evil", 1)},
		{"space in the host", strings.Replace(good, "host", "ho st", 1)},
		{"backslash for slash", strings.Replace(good, "host/", "host\\evil/", 1)},
		{"port that is no number", strings.Replace(good, "host", "host:https", 1)},
		{"port without number", strings.Replace(good, "host", "host:", 1)},
		{"unclosed address", strings.Replace(good, "host", "[::1", 1)},
		{"letters in an address", strings.Replace(good, "host", "[fe80::1%eth0]", 1)},
		{"line feed in the path", strings.Replace(good, "host/", "host/\nx", 1)},
		{"endless", good + strings.Repeat("A", 3000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, inv, err := ParseInvite(c.link)
			if !diag.Is(err, "trust/invite") || server != "" || inv != (wire.Invitation{}) {
				t.Errorf("got %q, %v, %v", server, inv, err)
			}
		})
	}
	if _, err := FormatInvite("wss://host/v1/ws", invitation); !diag.Is(err, "trust/invite") {
		t.Errorf("wrote a link to a page that is none: %v", err)
	}
}

// The secret stands after the #, which a browser keeps to itself.
func TestServerLearnsNothingOfTheSecret(t *testing.T) {
	link, err := FormatInvite("https://host/page", invitation)
	if err != nil {
		t.Fatal(err)
	}
	if before, _, _ := strings.Cut(link, "#"); before != "https://host/page" {
		t.Errorf("sent to the server: %s", before)
	}
	if server, _, _ := ParseInvite(link); strings.ContainsAny(server, "#?=") {
		t.Errorf("server address %s", server)
	}
}

func TestPreSharedKeyDependsOnRoomAndSecret(t *testing.T) {
	a := invitation
	for _, change := range []func(*wire.Invitation){
		func(i *wire.Invitation) { i.Room[0]++ },
		func(i *wire.Invitation) { i.Secret[15]++ },
	} {
		b := a
		change(&b)
		if PSK(a) == PSK(b) {
			t.Error("two invitations have one key")
		}
	}
}

func FuzzParseInvite(f *testing.F) {
	good, err := FormatInvite("https://host:443/x", invitation)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add("http://[::1]/#join=")
	f.Add("https://a?b#c")
	f.Fuzz(func(t *testing.T, link string) {
		server, inv, err := ParseInvite(link)
		if err != nil {
			if !diag.Is(err, "trust/invite") {
				t.Fatalf("not a refusal: %v", err)
			}
			return
		}
		page, _, _ := strings.Cut(strings.TrimSpace(link), "#")
		again, err := FormatInvite(page, inv)
		if err != nil {
			t.Fatalf("cannot be written again: %v", err)
		}
		if s2, inv2, err := ParseInvite(again); err != nil || s2 != server || inv2 != inv {
			t.Fatalf("written and read again: %q, %v", s2, err)
		}
	})
}

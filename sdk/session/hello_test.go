package session

import (
	"strings"
	"testing"

	"shoal/sdk/diag"
	"shoal/sdk/id"
	"shoal/sdk/wire"
)

func TestHelloIsBoundToEverythingItSigns(t *testing.T) {
	nonce := id.Digest{1}
	good := SignHello([32]byte{7}, nonce, wire.Hello{Version: wire.Version, Room: id.Room{2}, Engine: id.Engine{3}})
	if !VerifyHello(nonce, good) {
		t.Fatal("the true hello is refused")
	}
	for _, c := range []struct {
		name   string
		nonce  id.Digest
		change func(*wire.Hello)
	}{
		{"nonce", id.Digest{9}, func(h *wire.Hello) {}},
		{"room", nonce, func(h *wire.Hello) { h.Room[0]++ }},
		{"engine", nonce, func(h *wire.Hello) { h.Engine[31]++ }},
		{"guest", nonce, func(h *wire.Hello) { h.Guest = true }},
		{"peer", nonce, func(h *wire.Hello) { h.Peer = SignHello([32]byte{8}, nonce, *h).Peer }},
		{"signature", nonce, func(h *wire.Hello) { h.Sig[5] ^= 1 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := good
			c.change(&h)
			if VerifyHello(c.nonce, h) {
				t.Error("accepted")
			}
		})
	}
}

func TestAdmitNamesWhatIsWrong(t *testing.T) {
	ch := wire.Challenge{Version: 5, Nonce: id.Digest{1}}
	hello := func(version uint32, engine id.Engine) wire.Hello {
		return SignHello([32]byte{7}, ch.Nonce, wire.Hello{Version: version, Engine: engine})
	}
	forged := hello(5, id.Engine{3})
	forged.Sig[0] ^= 1
	for _, c := range []struct {
		name   string
		hello  wire.Hello
		engine id.Engine
		want   string
	}{
		{"same version", hello(5, id.Engine{3}), id.Engine{3}, ""},
		{"the version before", hello(4, id.Engine{3}), id.Engine{3}, ""},
		{"older", hello(3, id.Engine{3}), id.Engine{3}, "version/wire"},
		{"newer", hello(6, id.Engine{3}), id.Engine{3}, "version/wire"},
		{"version zero", hello(0, id.Engine{3}), id.Engine{3}, "version/wire"},
		{"forged", forged, id.Engine{3}, "session/signature"},
		{"other engine", hello(5, id.Engine{4}), id.Engine{3}, "version/engine"},
		{"no engine", hello(5, id.Engine{}), id.Engine{3}, "version/engine"},
		{"any engine will do", hello(5, id.Engine{4}), id.Engine{}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Admit(ch, c.hello, c.engine)
			if c.want == "" && err != nil || c.want != "" && !diag.Is(err, c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestRefusalSurvivesTheWire(t *testing.T) {
	r := diag.New("session/backlog", strings.Repeat("é", 3000), diag.Detail{Key: "k", Value: "v"})
	r.Fix = "bad \xff bytes"
	data := wire.AppendPacket(nil, wire.Turned{Refusal: ToWire(r)})
	p, err := wire.DecodePacket(data)
	if err != nil {
		t.Fatal(err)
	}
	back := FromWire(p.(wire.Turned).Refusal)
	if back.Code != r.Code || back.Title != r.Title || back.Detail("k") != "v" || back.Fix != "bad \uFFFD bytes" {
		t.Errorf("got %+v", back)
	}
	if back.Why != strings.Repeat("é", 1024) {
		t.Errorf("the long text was cut to %d bytes", len(back.Why))
	}
}

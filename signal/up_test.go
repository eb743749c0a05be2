package signal

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/diag"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
)

// up runs Up until the test ends, and returns the two addresses.
func up(t *testing.T, cfg UpConfig) (local, public string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan [2]string, 1)
	ended := make(chan error, 1)
	cfg.Ready = func(local, public string) { ready <- [2]string{local, public} }
	cfg.Limits.Window = 50 * time.Millisecond
	if cfg.StateDir == "" {
		cfg.StateDir = t.TempDir()
	}
	go func() { ended <- Up(ctx, cfg) }()
	select {
	case at := <-ready:
		t.Cleanup(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Errorf("Up ended with %v", err)
			}
		})
		return at[0], at[1]
	case err := <-ended:
		cancel()
		t.Fatal(err)
	case <-time.After(patience):
		cancel()
		t.Fatal("not ready")
	}
	return "", ""
}

func TestUpGivesAPageAndAPoolInOneStep(t *testing.T) {
	local, public := up(t, UpConfig{Listen: "127.0.0.1:0", Keep: true, Config: Config{Static: Files(site())}})
	if local != public || !strings.HasPrefix(local, "http://127.0.0.1:") {
		t.Errorf("got %s and %s", local, public)
	}
	resp, err := http.Get(local)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if b, _ := io.ReadAll(resp.Body); string(b) != "packed page" {
		t.Errorf("got %q", b)
	}
	resp, err = http.Get(local + "v1/invite")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var got struct{ URL string }
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil || !strings.HasPrefix(got.URL, local+"#join=") {
		t.Fatalf("got %q, %v", got.URL, err)
	}
	d := newDevice(t, "laptop")
	// The device is a page that was opened under another name of this machine.
	d.header = http.Header{"Origin": {strings.TrimSuffix(strings.Replace(local, "127.0.0.1", "localhost", 1), "/")}}
	d.feed(wire.JoinPool{URL: got.URL})
	d.waits("joined", func() bool { return d.pool.State == "joined" })
}

func TestUpSpeaksTLSWithACertificateOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	roots := x509.NewCertPool()
	var first []byte
	for range 2 {
		t.Run("", func(t *testing.T) {
			local, _ := up(t, UpConfig{Listen: "127.0.0.1:0", Self: true, Config: Config{StateDir: dir, AllowOpen: true}})
			file, err := os.ReadFile(filepath.Join(dir, "self.crt"))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = file
				block, _ := pem.Decode(file)
				c, err := x509.ParseCertificate(block.Bytes)
				if err != nil {
					t.Fatal(err)
				}
				if d := c.NotAfter.Sub(c.NotBefore); d > 398*24*time.Hour {
					t.Errorf("the certificate is valid for %s", d)
				}
				roots.AddCert(c)
			} else if string(file) != string(first) {
				t.Error("a second start made another certificate")
			}
			if info, err := os.Stat(filepath.Join(dir, "self.key")); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the key's mode is %v (%v)", info.Mode(), err)
			}
			trusting := &tls.Config{RootCAs: roots}
			client := http.Client{Transport: &http.Transport{TLSClientConfig: trusting, DisableKeepAlives: true}}
			resp, err := client.Get(local + "readyz")
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("got %v, %v", resp, err)
			}
			resp.Body.Close()
			dialer := websocket.Dialer{TLSClientConfig: trusting, HandshakeTimeout: patience}
			ws, _, err := dialer.Dial(strings.Replace(local, "https:", "wss:", 1)+"v1/ws", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			r := &raw{t, ws}
			k := newSeed()
			r.greet(k, wire.Hello{Room: trust.RoomID(k.peer(), newSeed()), Open: true})
			next[wire.Welcome](r)
		})
	}
}

func TestACertificateThatIsRenewedIsUsed(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	cert, key, err := selfSigned(dir, []string{"localhost"}, now)
	if err != nil {
		t.Fatal(err)
	}
	if !fits(readFile(t, cert), []string{"localhost"}, now) || fits(readFile(t, cert), []string{"other"}, now) ||
		fits(readFile(t, cert), []string{"localhost"}, now.Add(selfFor-selfAgain+time.Hour)) {
		t.Error("what a certificate fits is misjudged")
	}
	f := &certFiles{cert: cert, key: key}
	if err := f.load(); err != nil {
		t.Fatal(err)
	}
	old, _ := f.get(nil)
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	f.looked = time.Time{}
	if got, err := f.get(nil); err != nil || got != old {
		t.Error("a certificate that is gone for a moment is not used on")
	}
	if _, _, err := selfSigned(dir, []string{"localhost"}, now); err != nil {
		t.Fatal(err)
	}
	later := now.Add(time.Minute)
	if err := os.Chtimes(cert, later, later); err != nil {
		t.Fatal(err)
	}
	if got, _ := f.get(nil); got != old {
		t.Error("the files are looked at for every connection")
	}
	f.looked = time.Time{}
	if got, _ := f.get(nil); got == old {
		t.Error("the new certificate is not used")
	}
}

func TestUpSaysWhyItCannotStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		name, code string
		cfg        UpConfig
	}{
		{"a port in use", "server/listen", UpConfig{Listen: taken.Addr().String()}},
		{"no address", "server/listen", UpConfig{Listen: "nowhere"}},
		{"no certificate", "server/tls", UpConfig{Listen: "127.0.0.1:0", CertFile: "nothing.pem", KeyFile: "nothing.key"}},
		{"a URL that is none", "server/listen", UpConfig{Listen: "127.0.0.1:0", URL: "shoal.example"}},
		{"a state directory that is a file", "server/state", UpConfig{Listen: "127.0.0.1:0", Config: Config{StateDir: "up_test.go"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.cfg.StateDir == "" {
				c.cfg.StateDir = t.TempDir()
			}
			c.cfg.Ready = func(string, string) { t.Error("ready all the same") }
			if err := Up(t.Context(), c.cfg); !diag.Is(err, c.code) {
				t.Errorf("got %v, want %s", err, c.code)
			}
		})
	}
}

func TestUpKnowsItsAddresses(t *testing.T) {
	for _, c := range []struct {
		name          string
		cfg           UpConfig
		ip            net.IP
		local, public string // public "" for the machine's own
	}{
		{"this machine", UpConfig{}, net.IPv4(127, 0, 0, 1), "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"},
		{"this machine by IPv6", UpConfig{}, net.IPv6loopback, "http://[::1]:8080/", "http://[::1]:8080/"},
		{"everywhere", UpConfig{}, net.IPv6unspecified, "http://127.0.0.1:8080/", ""},
		{"behind a proxy", UpConfig{URL: "https://shoal.example/"}, net.IPv4(127, 0, 0, 1), "http://127.0.0.1:8080/", "https://shoal.example/"},
		{"with TLS", UpConfig{Config: Config{TLS: &tls.Config{}}}, net.IPv4(10, 0, 0, 1), "https://10.0.0.1:8080/", "https://10.0.0.1:8080/"},
	} {
		t.Run(c.name, func(t *testing.T) {
			local, public, err := c.cfg.addresses(&net.TCPAddr{IP: c.ip, Port: 8080})
			if err != nil || local != c.local || (c.public != "" && public != c.public) {
				t.Errorf("got %s and %s, %v; want %s and %s", local, public, err, c.local, c.public)
			}
		})
	}
}

func TestTheStateDirectoryFollowsTheSystem(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", "/var/lib/someone")
	if got, err := DefaultStateDir(); err != nil || got != "/var/lib/someone/shoal" {
		t.Errorf("got %s, %v", got, err)
	}
	t.Setenv("XDG_STATE_HOME", "not/absolute")
	t.Setenv("HOME", "/home/someone")
	if got, err := DefaultStateDir(); err != nil || got != "/home/someone/.local/state/shoal" {
		t.Errorf("got %s, %v", got, err)
	}
}

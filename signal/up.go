package signal

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"shoal/sdk/diag"
)

// DefaultListen is where a server listens that is told nothing else: on this
// machine only.
const DefaultListen = "127.0.0.1:8080"

// UpConfig is what the command that starts a server takes.
type UpConfig struct {
	// Config is the server's. Its Keeper and TLS are set by Up, and its StateDir
	// to DefaultStateDir if it is empty.
	Config
	// Listen is host:port, DefaultListen if empty; port 0 takes a free one.
	Listen string
	// URL is the address at which people reach the server, such as
	// "https://shoal.example/"; if empty it follows from the listener.
	URL string
	// Keep opens a pool of this machine's own, with an invite link.
	Keep bool
	// Self makes a certificate; CertFile and KeyFile name one, in PEM. Without
	// either the server speaks plain HTTP.
	Self              bool
	CertFile, KeyFile string
	// Ready is called once the server can be used, with the address for the
	// browser of this machine, and the one for other devices: they differ when
	// the server listens on all addresses.
	Ready func(local, public string)
}

// DefaultStateDir returns where a user's servers keep their state.
func DefaultStateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "shoal"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, ".local", "state", "shoal"), nil
}

// Up runs a server until ctx ends, and returns when everything it has started
// has ended. It returns server/listen, server/tls or server/state when it cannot
// start.
func Up(ctx context.Context, cfg UpConfig) error {
	if cfg.Listen == "" {
		cfg.Listen = DefaultListen
	}
	if cfg.StateDir == "" {
		dir, err := DefaultStateDir()
		if err != nil {
			return diag.New("server/state", err.Error())
		}
		cfg.StateDir = dir
	}
	if cfg.Static == nil {
		cfg.Static = http.NotFoundHandler()
	}
	var listen net.ListenConfig
	ln, err := listen.Listen(ctx, "tcp", cfg.Listen)
	if err != nil {
		return diag.New("server/listen", err.Error())
	}
	defer func() { _ = ln.Close() }()
	if cfg.TLS, err = cfg.certificate(); err != nil {
		return err
	}
	local, public, err := cfg.addresses(ln.Addr().(*net.TCPAddr))
	if err != nil {
		return err
	}
	cfg.Origins = append(append([]string(nil), cfg.Origins...), origins(local, public)...)
	if cfg.Keep {
		cfg.Keeper = public
	}
	s, err := New(cfg.Config)
	if err != nil {
		return err
	}
	s.log.Info("listening", "url", local, "tls", cfg.TLS != nil, "keeper", cfg.Keep)
	if cfg.Ready != nil {
		// The listener queues what comes before Serve accepts.
		cfg.Ready(local, public)
	}
	return s.Serve(ctx, ln)
}

func (cfg *UpConfig) certificate() (*tls.Config, error) {
	switch {
	case cfg.CertFile != "" || cfg.KeyFile != "":
		return tlsConfig(cfg.CertFile, cfg.KeyFile)
	case !cfg.Self:
		return nil, nil
	}
	cert, key, err := selfSigned(cfg.StateDir, machineNames(), time.Now())
	if err != nil {
		return nil, diag.New("server/tls", err.Error())
	}
	return tlsConfig(cert, key)
}

// addresses returns the page's address for this machine and for others.
func (cfg *UpConfig) addresses(at *net.TCPAddr) (local, public string, err error) {
	scheme := "http"
	if cfg.TLS != nil {
		scheme = "https"
	}
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return "", "", err
	}
	page := func(host string) string { return scheme + "://" + net.JoinHostPort(host, port) + "/" }
	local, public = page(at.IP.String()), page(at.IP.String())
	if at.IP.IsUnspecified() {
		local, public = page("127.0.0.1"), page("127.0.0.1")
		if host := lanAddress(); host != "" {
			public = page(host)
		}
	}
	if cfg.URL != "" {
		u, err := url.Parse(cfg.URL)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return "", "", diag.New("server/listen", "the server's own address "+clip(cfg.URL)+" is no web address")
		}
		public = cfg.URL
	}
	return local, public, nil
}

// origins returns the origins of the server's own page under all of its names,
// since a page that was opened under one may follow an invite with another.
func origins(pages ...string) []string {
	var out []string
	for _, p := range pages {
		u, err := url.Parse(p)
		if err != nil {
			continue
		}
		out = append(out, u.Scheme+"://"+u.Host)
		if loopbackName(u.Hostname()) {
			for _, n := range [...]string{"localhost", "127.0.0.1", "::1"} {
				out = append(out, u.Scheme+"://"+net.JoinHostPort(n, u.Port()))
			}
		}
	}
	return out
}

// lanAddress returns the address at which other devices of the network probably
// reach this machine: its first private one.
func lanAddress() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsPrivate() && n.IP.To4() != nil {
			return n.IP.String()
		}
	}
	return ""
}

// machineNames returns the names and addresses of this machine that a
// certificate of its own covers.
func machineNames() []string {
	names := []string{"localhost", "127.0.0.1", "::1"}
	if h, err := os.Hostname(); err == nil && h != "" && !strings.ContainsAny(h, " _") {
		names = append(names, h)
		if !strings.Contains(h, ".") {
			names = append(names, h+".local")
		}
	}
	if host := lanAddress(); host != "" {
		names = append(names, host)
	}
	return names
}

package main

import (
	"context"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"

	"shoal/playground"
	"shoal/signal"
)

func upCommand(ctx context.Context, c *call) error {
	var cfg signal.UpConfig
	c.flags.StringVar(&cfg.Listen, "listen", signal.DefaultListen, "`address` to listen on; port 0 takes a free one")
	c.flags.StringVar(&cfg.URL, "url", "", "the `address` at which people reach the server, if a proxy is in front")
	c.flags.StringVar(&cfg.StateDir, "state", "", "`directory` for journals and keys; by default in the user's state directory")
	c.flags.StringVar(&cfg.Token, "token", "", "`token` that lets devices of other machines open pools")
	tls := c.flags.String("tls", "", "self for a certificate of its own, or files with --cert and --key; without it the server speaks http")
	c.flags.StringVar(&cfg.CertFile, "cert", "", "certificate `file`, in PEM, for --tls files")
	c.flags.StringVar(&cfg.KeyFile, "key", "", "key `file`, in PEM, for --tls files")
	keep := c.flags.String("pool", "auto", "open a pool whose invite link this machine's programs can ask for: yes, no, or auto, which is yes on a loopback address")
	tap := c.flags.String("tap", "", "append every byte that the server reads and writes to this `file`, for an audit")
	verbose := c.flags.Bool("verbose", false, "log to standard error")
	if err := c.parse(0, 0); err != nil {
		return err
	}
	switch *tls {
	case "":
		if cfg.CertFile != "" || cfg.KeyFile != "" {
			return usage("--cert and --key go with --tls files")
		}
	case "self":
		cfg.Self = true
	case "files":
		if cfg.CertFile == "" || cfg.KeyFile == "" {
			return usage("--tls files needs --cert and --key")
		}
	default:
		return usage("--tls is self or files, not %q", *tls)
	}
	switch *keep {
	case "yes":
		cfg.Keep = true
	case "no":
	case "auto":
		cfg.Keep = loopback(cfg.Listen)
	default:
		return usage("--pool is yes, no or auto, not %q", *keep)
	}
	cfg.AllowOpen = true
	done, err := stateFor(&cfg)
	if err != nil {
		return failed(err)
	}
	defer done()
	if *tap != "" {
		f, err := os.OpenFile(*tap, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return failed(err)
		}
		defer f.Close()
		cfg.Tap = f
	}
	if *verbose {
		cfg.Log = slog.New(slog.NewTextHandler(c.errs, nil))
	}
	files, err := playground.Files()
	if err != nil {
		c.say("note: %v", err)
	} else {
		cfg.Static = signal.Files(files)
	}
	cfg.Ready = func(local, public string) {
		if c.json {
			c.object(map[string]any{"type": "ready", "url": local, "public": public, "pool": cfg.Keep})
			return
		}
		c.say("Shoal is up: %s", local)
		if public != local {
			c.say("for other devices: %s", public)
		}
		if cfg.Keep {
			c.say("lend this machine:  shoal peer %s\ninvite a device:    shoal invite %s", local, local)
		}
		c.say("press Ctrl-C to stop")
	}
	return signal.Up(ctx, cfg)
}

// stateFor gives a server a state directory of its own, by the address that it
// listens on: one directory serves one server at a time. A server on a port that
// it was not told cannot be found again, so its state ends with it.
func stateFor(cfg *signal.UpConfig) (done func(), err error) {
	none := func() {}
	if cfg.StateDir != "" {
		return none, nil
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return none, nil // Up says what is wrong
	}
	if port == "0" {
		dir, err := os.MkdirTemp("", "shoal-up-")
		if err != nil {
			return none, err
		}
		cfg.StateDir = dir
		return func() { _ = os.RemoveAll(dir) }, nil
	}
	dir, err := signal.DefaultStateDir()
	if err != nil {
		return none, err
	}
	cfg.StateDir = filepath.Join(dir, strings.NewReplacer(":", "_", "[", "", "]", "").Replace(host+"_"+port))
	return none, nil
}

// loopback reports whether only this machine can reach an address.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"time"

	"github.com/gorilla/websocket"

	"shoal/sdk/engine"
	"shoal/sdk/trust"
	"shoal/sdk/wire"
	"shoal/wasm"
	"shoal/wasm/host"
)

// finding is one thing that the doctor looked at.
type finding struct {
	Type   string `json:"type"`
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func doctorCommand(ctx context.Context, c *call) error {
	if err := c.parse(0, 1); err != nil {
		return err
	}
	bad := 0
	note := func(check string, err error, detail, fix string) {
		f := finding{Type: "check", Check: check, OK: err == nil, Detail: detail}
		mark := "ok  "
		if err != nil {
			f.Detail, f.Fix, mark = err.Error(), fix, "FAIL"
			bad++
		}
		if c.json {
			c.object(f)
			return
		}
		c.say("%s  %-14s %s", mark, f.Check, f.Detail)
		if f.Fix != "" {
			c.say("      %-14s %s", "", f.Fix)
		}
	}
	id := engine.ID()
	note("engine", nil, id.String()[:16]+", "+runtime.GOOS+"/"+runtime.GOARCH+", "+fmt.Sprint(runtime.NumCPU())+" cores", "")
	peer, err := wasm.Peer()
	note("peer module", err, fmt.Sprint(len(peer))+" bytes", "run make build and use bin/shoal")
	if dir := host.DefaultCacheDir(); dir == "" {
		note("cache", fmt.Errorf("this user has no cache directory"), "", "set HOME or XDG_CACHE_HOME, or every start compiles for seconds")
	} else {
		note("cache", os.MkdirAll(dir, 0o700), dir, "make the directory writable")
	}
	if err == nil {
		start := time.Now()
		err = tryRun(ctx, peer)
		note("run", err, "a small job ran under wazero in "+time.Since(start).Round(time.Millisecond).String(), "report this with the text above")
	}
	if len(c.args) == 1 {
		reach(ctx, c.args[0], note)
	}
	if bad > 0 {
		return failed(fmt.Errorf("%d checks failed", bad))
	}
	return nil
}

// tryRun runs a small job in this process.
func tryRun(ctx context.Context, peer []byte) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	p, err := host.New(ctx, host.Config{Peer: peer, Workers: 1, CacheDir: host.DefaultCacheDir()})
	if err != nil {
		return err
	}
	defer p.Close()
	p.Send(wire.Submit{Run: 1, Job: []byte(`{"program":"mc/pi","split":{"range":1000},"combine":"moments"}`)})
	for {
		e, err := next(ctx, p)
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case wire.RunEnded:
			return nil
		case wire.RunRefused:
			return errOf(e.Refusal, true)
		}
	}
}

// reach looks at every step of the way to a server.
func reach(ctx context.Context, address string, note func(check string, err error, detail, fix string)) {
	u, err := url.Parse(address)
	if err == nil && u.Hostname() == "" {
		err = fmt.Errorf("%q names no host", address)
	}
	note("address", err, address, "give the address as the page shows it, with http or https")
	if err != nil {
		return
	}
	addrs, err := net.DefaultResolver.LookupHost(ctx, u.Hostname())
	note("DNS", err, fmt.Sprint(addrs), "check the name, and that this network resolves it")
	if err != nil {
		return
	}
	client := http.Client{Timeout: 10 * time.Second}
	res, err := client.Get(u.Scheme + "://" + u.Host + "/readyz")
	if err == nil {
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			err = fmt.Errorf("the server answers %s", res.Status)
		}
	}
	note("HTTP", err, "the server is ready", "start it with shoal up, or look for a proxy between")
	if err != nil {
		return
	}
	ws, err := trust.ServerURL(address)
	if err != nil {
		note("WebSocket", err, "", "")
		return
	}
	d := websocket.Dialer{HandshakeTimeout: 10 * time.Second, Proxy: http.ProxyFromEnvironment}
	conn, _, err := d.DialContext(ctx, ws, nil)
	if err != nil {
		note("WebSocket", err, "", "a proxy that does not pass Upgrade breaks pools; ask for "+u.Host+" to be exempt")
		return
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, data, err := conn.ReadMessage()
	if err == nil {
		var p wire.Packet
		if p, err = wire.DecodePacket(data); err == nil {
			if _, ok := p.(wire.Challenge); !ok {
				err = fmt.Errorf("the server does not greet as Shoal does")
			}
		}
	}
	note("WebSocket", err, "the server greets", "check that the address is a Shoal server of this release")
}

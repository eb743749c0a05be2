package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"shoal/sdk/diag"
	"shoal/sdk/job"
	"shoal/sdk/session"
	"shoal/sdk/wire"
	"shoal/wasm"
	"shoal/wasm/host"
)

// hostFlags are those of every command that runs a peer.
type hostFlags struct {
	workers int
	engine  string
	state   string
	label   string
	verbose bool
	files   host.Files
}

func (h *hostFlags) register(f *flag.FlagSet, workers string) {
	f.IntVar(&h.workers, workers, 0, "compute `workers`; 0 for one per core")
	f.StringVar(&h.engine, "engine", host.Compiler, "what runs the programs: compiler or interpreter")
	f.StringVar(&h.state, "state", "", "`directory` that keeps this device's key and pools; without one they last as long as the command")
	f.StringVar(&h.label, "label", "", "`name` of this device for people")
	f.BoolVar(&h.verbose, "verbose", false, "log to standard error")
}

// start starts a peer in this process.
func (h *hostFlags) start(ctx context.Context, c *call) (*host.Host, error) {
	if h.engine != host.Compiler && h.engine != host.Interpreter {
		return nil, usage("--engine is compiler or interpreter, not %q", h.engine)
	}
	if h.workers == 0 {
		h.workers = runtime.NumCPU()
	}
	if h.workers < 1 || h.workers > 256 {
		return nil, usage("%d workers: want 1 to 256", h.workers)
	}
	peer, err := wasm.Peer()
	if err != nil {
		return nil, failed(err)
	}
	if h.label == "" {
		if name, err := os.Hostname(); err == nil {
			h.label = name
		}
	}
	log := slog.New(slog.DiscardHandler)
	if h.verbose {
		log = slog.New(slog.NewTextHandler(c.errs, nil))
	}
	p, err := host.New(ctx, host.Config{
		Peer: peer, Workers: h.workers, Engine: h.engine, CacheDir: host.DefaultCacheDir(), StateDir: h.state,
		Label: h.label, Log: log, Files: &h.files,
	})
	if err != nil {
		return nil, failed(err)
	}
	return p, nil
}

// readJob reads a job file and the files that it names, relative to itself.
func (h *hostFlags) readJob(c *call, path string) (src []byte, files []wire.File, err error) {
	dir := "."
	if path == "-" {
		src, err = io.ReadAll(c.in)
	} else {
		dir = filepath.Dir(path)
		src, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, nil, &failure{exitRefused, diag.New("job/unreadable", err.Error(), diag.Detail{Key: "file", Value: path})}
	}
	names, err := job.Files(src)
	if err != nil {
		return nil, nil, err
	}
	if files, err = openShelf().handOver(src, dir); err != nil {
		return nil, nil, err
	}
	for _, name := range names {
		if named(files, name) {
			continue // of the user's own catalog
		}
		full := name
		if !filepath.IsAbs(name) {
			full = filepath.Join(dir, filepath.FromSlash(name))
		}
		file, err := h.files.Open(name, full)
		if err != nil {
			detail := diag.Detail{Key: "file", Value: name}
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, nil, diag.New("job/unreadable", err.Error(), detail)
			}
			if err := openShelf().missing(src, name); err != nil {
				return nil, nil, err
			}
			return nil, nil, diag.New("job/missing-file", err.Error(), detail).
				WithFix("put the file there, or correct its name: it is looked for in the folder of the job file")
		}
		files = append(files, file)
	}
	return src, files, nil
}

// inviteFor returns the invite link that an address stands for: the address
// itself, or what a server on this machine answers.
func inviteFor(ctx context.Context, address string) (string, error) {
	if strings.Contains(address, "#join=") {
		return address, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", diag.New("trust/invite", "it is no link: "+address)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.JoinPath("/v1/invite").String(), nil)
	if err != nil {
		return "", failed(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		if no := certificateFault(err, u.Host); no != nil {
			return "", no
		}
		return "", failed(fmt.Errorf("asking the server for an invite: %w", err))
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if err != nil {
		return "", failed(err)
	}
	link, ok := stringField(body, "url")
	if res.StatusCode != http.StatusOK || !ok {
		return "", diag.New("trust/invite", "the address has no invite in it, and the server gives none to this machine")
	}
	return link, nil
}

// errOf returns a wire refusal as an error, with the exit code that fits.
func errOf(r wire.Refusal, started bool) error {
	if started {
		return failed(session.FromWire(r))
	}
	return session.FromWire(r)
}

// Command shoal pools computing inside ordinary web pages, and runs the same
// peer on a server: run a job, plan it, look into a program, serve the pages and
// the pools, lend this machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"shoal/sdk/diag"
)

// The exit codes, the same for every command.
const (
	exitOK      = 0
	exitFailed  = 1 // it was tried and did not succeed
	exitUsage   = 2 // the call's words are off
	exitRefused = 3 // refused before anything of it was done
)

// command is one verb.
type command struct {
	name  string
	args  string
	short string
	run   func(ctx context.Context, c *call) error
}

func commands() []command {
	return []command{
		{"run", "JOB.json", "run a job, alone or in a pool", runCommand},
		{"plan", "JOB.json", "say how a job is cut, what it costs and where it may run", planCommand},
		{"inspect", "PROGRAM.wasm | --formula TEXT", "say what admission makes of a program", inspectCommand},
		{"catalog", "[VERB …]", "list programs, splits and combines; add, export, import, remove your own", catalogCommand},
		{"up", "", "serve the playground, signaling, pools and the frame relay", upCommand},
		{"invite", "[URL]", "make an invite link to a pool", inviteCommand},
		{"peer", "URL", "lend this machine to a pool", peerCommand},
		{"doctor", "[URL]", "look for what keeps Shoal from working here", doctorCommand},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := dispatch(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// failure is an error with the exit code that it leads to.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func usage(format string, args ...any) error {
	return &failure{exitUsage, fmt.Errorf(format, args...)}
}

// failed marks an error as one of something that was tried.
func failed(err error) error { return &failure{exitFailed, err} }

// dispatch runs one command line and returns the exit code.
func dispatch(ctx context.Context, args []string, in *os.File, out, errs *os.File) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		help(out)
		return exitOK
	}
	for _, cmd := range commands() {
		if cmd.name != args[0] {
			continue
		}
		c := newCall(cmd, args[1:], in, out, errs)
		err := cmd.run(ctx, c)
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return c.end(err)
	}
	fmt.Fprintf(errs, "shoal: no command %q; shoal help lists them\n", args[0])
	return exitUsage
}

func help(out *os.File) {
	fmt.Fprint(out, "shoal pools computing inside ordinary web pages.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(out, "  shoal %-8s %-13s %s\n", c.name, c.args, c.short)
	}
	fmt.Fprint(out, "\nEvery command takes --json and --help. Exit codes: 0 ok, 1 failed, 2 usage, 3 refused.\n")
}

// exitCode returns the code that an error leads to.
func exitCode(err error) int {
	var f *failure
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &f):
		return f.code
	}
	if _, ok := diag.As(err); ok {
		return exitRefused
	}
	return exitFailed
}

package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"shoal/sdk/diag"
)

// call is one invocation of a command: its flags, and where it writes.
type call struct {
	command
	flags *flag.FlagSet
	json  bool
	words []string // the command line after the command
	args  []string // what of it is no flag
	in    *os.File
	out   *os.File
	errs  *os.File
	tty   bool
	mu    sync.Mutex
	line  bool // a progress line stands on the terminal
}

func newCall(cmd command, words []string, in, out, errs *os.File) *call {
	c := &call{command: cmd, words: words, in: in, out: out, errs: errs, flags: flag.NewFlagSet("shoal "+cmd.name, flag.ContinueOnError)}
	c.flags.SetOutput(io.Discard)
	c.flags.BoolVar(&c.json, "json", false, "print one JSON object per line")
	if st, err := out.Stat(); err == nil {
		c.tty = st.Mode()&os.ModeCharDevice != 0
	}
	return c
}

// parse reads flags and arguments in any order, and checks the number of
// arguments.
func (c *call) parse(least, most int) error {
	rest := c.words
	for {
		err := c.flags.Parse(rest)
		if errors.Is(err, flag.ErrHelp) {
			c.flags.SetOutput(c.out)
			fmt.Fprintf(c.out, "shoal %s %s\n%s\n\n", c.name, c.synopsis(), c.short)
			c.flags.PrintDefaults()
			return flag.ErrHelp
		}
		if err != nil {
			return usage("shoal %s: %w; see shoal %s --help", c.name, err, c.name)
		}
		rest = c.flags.Args()
		if len(rest) == 0 {
			break
		}
		c.args = append(c.args, rest[0])
		rest = rest[1:]
	}
	if len(c.args) < least || len(c.args) > most {
		return usage("usage: shoal %s %s; see shoal %s --help", c.name, c.synopsis(), c.name)
	}
	return nil
}

// synopsis is what follows the command on its usage line.
func (c *call) synopsis() string { return strings.TrimSpace(c.command.args + " [flags]") }

// object prints one JSON object on a line of its own.
func (c *call) object(v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := json.Marshal(v)
	if err != nil {
		panic("shoal: bug: " + err.Error())
	}
	c.out.Write(append(b, '\n'))
}

// say prints a line for people; with --json it prints nothing.
func (c *call) say(format string, args ...any) {
	if c.json {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Fprintf(c.out, format+"\n", args...)
}

// progress replaces the progress line on a terminal.
func (c *call) progress(format string, args ...any) {
	if c.json || !c.tty {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clear()
	fmt.Fprintf(c.out, format, args...)
	c.line = true
}

func (c *call) clear() {
	if c.line {
		fmt.Fprint(c.out, "\r\x1b[K")
		c.line = false
	}
}

// refusalObject is the form of a refusal in JSON, the same everywhere.
type refusalObject struct {
	Type    string            `json:"type"`
	Code    string            `json:"code"`
	Title   string            `json:"title"`
	Why     string            `json:"why"`
	Fix     string            `json:"fix"`
	Docs    string            `json:"docs"`
	Details map[string]string `json:"details,omitempty"`
}

func objectOf(r *diag.Refusal) refusalObject {
	o := refusalObject{Type: "refusal", Code: r.Code, Title: r.Title, Why: r.Why, Fix: r.Fix, Docs: r.Docs()}
	for _, d := range r.Details {
		if o.Details == nil {
			o.Details = map[string]string{}
		}
		o.Details[d.Key] = d.Value
	}
	return o
}

// end prints an error and returns the exit code.
func (c *call) end(err error) int {
	c.mu.Lock()
	c.clear()
	c.mu.Unlock()
	if err == nil {
		return exitOK
	}
	r, refused := diag.As(err)
	switch {
	case c.json && refused:
		c.object(objectOf(r))
	case c.json:
		c.object(map[string]any{"type": "error", "error": err.Error()})
	case refused:
		fmt.Fprintf(c.errs, "refused: %s (%s)\n", r.Title, r.Code)
		if r.Why != "" {
			fmt.Fprintf(c.errs, "  why:  %s\n", r.Why)
			for _, line := range excerpt(r) {
				fmt.Fprintf(c.errs, "        %s\n", line)
			}
		}
		fmt.Fprintf(c.errs, "  fix:  %s\n  more: %s\n", r.Fix, r.Docs())
	default:
		fmt.Fprintf(c.errs, "shoal: %v\n", err)
	}
	return exitCode(err)
}

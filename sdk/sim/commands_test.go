package sim

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"shoal/sdk/id"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// call is one command with its arguments.
type call struct {
	words   []string
	options map[string]string
	used    map[string]bool
}

func (c *call) word(i int) string {
	if i < len(c.words) {
		return c.words[i]
	}
	return ""
}

func (c *call) option(key, otherwise string) string {
	if c.used == nil {
		c.used = map[string]bool{}
	}
	c.used[key] = true
	if v, ok := c.options[key]; ok {
		return v
	}
	return otherwise
}

func (c *call) number(key string, otherwise uint64) uint64 {
	n, err := strconv.ParseUint(c.option(key, strconv.FormatUint(otherwise, 10)), 10, 64)
	if err != nil {
		panic(key + " is no number")
	}
	return n
}

func (c *call) span(key string, otherwise tick.Duration) tick.Duration {
	v := c.option(key, "")
	if v == "" {
		return otherwise
	}
	return span(v)
}

func span(s string) tick.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(s + " is no span")
	}
	return tick.Duration(d.Nanoseconds())
}

// submitted is what a run was asked to do, for its answer alone.
type submitted struct {
	job   string
	files []wire.File
	grain uint64
}

// commands is the language of the scripts. The first word of most is a peer.
var commands map[string]func(*script, *call) error

func init() { // not a literal: the commands refer to each other
	commands = map[string]func(*script, *call) error{
		"add": add, "start": start, "kill": with(func(s *script, p *Peer, c *call) error { p.Kill(); return nil }),
		"pool": openPool, "invite": invite, "join": join, "leave": send(wire.LeavePool{}),
		"admit": judge(true), "deny": judge(false),
		"lend": lend, "unlend": unlend, "park": send(wire.Park{Hidden: true}), "unpark": send(wire.Park{}),
		"submit": submit, "cancel": cancel,
		"liar": liar, "slow": slow, "slow-files": with(func(_ *script, p *Peer, c *call) error { p.SlowFiles = atoi(c.word(1)); return nil }),
		"unreadable":   with(func(_ *script, p *Peer, _ *call) error { p.Unreadable = true; return nil }),
		"rewrite":      with(func(_ *script, p *Peer, _ *call) error { p.Rewrite(); return nil }),
		"uncompilable": with(func(_ *script, p *Peer, _ *call) error { p.Uncompilable = true; return nil }),
		"trap-at":      func(s *script, c *call) error { s.w.cfg.TrapAt = uint64(atoi(c.word(0))) + 1; return nil },
		"disconnect":   disconnect, "reconnect": with(func(_ *script, p *Peer, _ *call) error { p.Reconnect(); return nil }),
		"no-server":   func(s *script, _ *call) error { s.w.server.kill(); return nil },
		"kill-server": killServer, "lose-server": loseServer,
		"run": run, "until": until, "expect": expect, "story": story,
		"mallory": hire,
		"betray": with(func(s *script, p *Peer, _ *call) error { // makes a secret of what the server knows
			job := p.Runs[1].Planned.Job
			s.secrets["the job of "+p.Name] = job[:]
			return nil
		}),
	}
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(s + " is no number")
	}
	return n
}

func with(f func(*script, *Peer, *call) error) func(*script, *call) error {
	return func(s *script, c *call) error {
		p := s.peers[c.word(0)]
		if p == nil {
			return errors.New("there is no such peer")
		}
		return f(s, p, c)
	}
}

func send(ev wire.Event) func(*script, *call) error {
	return with(func(_ *script, p *Peer, _ *call) error { p.Send(ev); return nil })
}

func add(s *script, c *call) error {
	p := s.w.Add(c.word(0), uint32(c.number("workers", 1)), func(p *Peer) {
		if c.option("engine", "") != "" {
			p.Engine = id.Engine(id.Sum("another release"))
		}
	})
	s.peers[p.Name] = p
	return nil
}

func start(s *script, c *call) error {
	return with(func(_ *script, p *Peer, _ *call) error { p.Start(); return nil })(s, c)
}

// openPool founds a pool, with an invite that admits whoever knocks unless the
// second word is ask, or goes on with the one that the peer has kept.
func openPool(s *script, c *call) error {
	return with(func(s *script, p *Peer, c *call) error {
		p.Send(wire.OpenPool{URL: address, State: p.pool})
		if err := s.until(tick.Minute, func() bool { return p.State == "joined" }); err != nil {
			return err
		}
		p.Send(wire.Invite{Auto: c.word(1) != "ask"})
		s.invite = p.Invite
		return nil
	})(s, c)
}

func invite(s *script, c *call) error {
	return with(func(s *script, p *Peer, c *call) error {
		p.Send(wire.Invite{
			Auto: c.word(1) != "ask", Uses: uint32(c.number("uses", 0)), ForMs: uint64(c.span("for", 0) / tick.Millisecond),
		})
		s.invite = p.Invite
		return nil
	})(s, c)
}

// join takes the invite and waits until the peer is a member. With the word
// knocks it only begins; with the word forged the invite's secret is another.
func join(s *script, c *call) error {
	return with(func(s *script, p *Peer, c *call) error {
		link := s.invite
		switch c.word(1) {
		case "forged":
			link = forge(link)
		case "", "knocks":
		default:
			return errors.New("join what?")
		}
		p.Rejoin(link)
		if c.word(1) != "" {
			return nil
		}
		return s.until(tick.Minute, func() bool { return p.State == "joined" })
	})(s, c)
}

func judge(yes bool) func(*script, *call) error {
	return with(func(s *script, p *Peer, c *call) error {
		guest := s.peers[c.word(1)]
		if guest == nil {
			return errors.New("there is no such guest")
		}
		p.Send(wire.Judge{Peer: guest.ID(), Admit: yes})
		return nil
	})
}

func lend(s *script, c *call) error {
	return with(func(_ *script, p *Peer, c *call) error {
		p.Send(wire.Lend{Gesture: c.word(1) != "without-gesture"})
		return nil
	})(s, c)
}

func unlend(s *script, c *call) error {
	return with(func(_ *script, p *Peer, c *call) error {
		p.Send(wire.Unlend{Finish: c.word(1) == "finish"})
		return nil
	})(s, c)
}

// submit submits an estimate of pi, or with records=N a description of a file
// of that many records, each wide=N bytes wider and with held=yes held by the host, and split=by and combine=by take programs for them. The
// word alone runs it outside the pool. With input=N a module gets an input of so
// many bytes and a short one.
func submit(s *script, c *call) error {
	return with(func(s *script, p *Peer, c *call) error {
		var job submitted
		if rows := c.number("records", 0); rows > 0 {
			job.job = fmt.Sprintf(`{"program":"stats/columns","split":{"records":{"file":"f.csv","column":"x"}},"combine":%q,`, c.option("combine", "moments"))
			var text strings.Builder
			text.WriteString("x,note\n")
			for i := range rows {
				fmt.Fprintf(&text, "%d,row-%06d%s\n", (i*7919)%rows, i, strings.Repeat("-", int(c.number("wide", 0))))
			}
			job.files = []wire.File{{Name: "f.csv", Data: []byte(text.String())}}
			s.secrets["records"] = []byte("row-0")
		} else if c.option("split", "") == "by" {
			job.job = fmt.Sprintf(`{"program":"stats/columns","split":{"by":{"module":"split.wasm","items":%d,"columns":["x"]}},"combine":%s,`,
				c.number("items", 100), combined(c.option("combine", "moments")))
			m, _ := programs.Module("mc/pi")
			job.files = []wire.File{{Name: "split.wasm", Data: m}}
		} else if size := c.number("input", 0); size > 0 {
			job.job = fmt.Sprintf(`{"program":{"module":"pi.wasm"},"inputs":{"i":{"file":"input"},"j":{"file":"other"}},"split":{"range":%d},"combine":"moments",`,
				c.number("items", 100))
			m, _ := programs.Module("mc/pi")
			input := []byte(strings.Repeat("all see the input ", int(size/18+1)))
			job.files = []wire.File{{Name: "pi.wasm", Data: m}, {Name: "input", Data: input}, {Name: "other", Data: []byte("another of them")}}
			s.secrets["the inputs"], s.secrets["the other input"] = input[:18], job.files[2].Data
		} else if c.option("combine", "") == "by" {
			job.job = fmt.Sprintf(`{"program":"mc/pi","split":{"range":%d},"combine":%s,`, c.number("items", 100), combined("by"))
		} else {
			job.job = fmt.Sprintf(`{"program":"mc/pi","split":{"range":%d},"combine":%q,`, c.number("items", 100), c.option("combine", "moments"))
		}
		if c.option("combine", "") == "by" {
			m, err := os.ReadFile("../../examples/programs/c/streak.wasm")
			if err != nil {
				return err
			}
			job.files = append(job.files, wire.File{Name: "reducer.wasm", Data: m})
		}
		seed, grain, copies := c.number("seed", 7), c.number("grain", 10), c.number("copies", 1)
		policy := fmt.Sprintf(`"copies":%d`, copies)
		if o := c.option("oracle", ""); o != "" {
			policy += fmt.Sprintf(`,"oracles":[%q]`, s.peers[o].ID())
		}
		n := uint32(c.number("run", 1))
		full := fmt.Sprintf(`%s"seed":%d,"grain":%d,"policy":{%s}}`, job.job, seed, grain, policy)
		job.job += fmt.Sprintf(`"seed":%d}`, seed)
		job.grain = grain
		if extra := c.option("extra", ""); extra != "" {
			full = strings.TrimSuffix(full, "}") + "," + extra + "}"
		}
		if s.jobs[p] == nil {
			s.jobs[p] = map[uint32]submitted{}
		}
		s.jobs[p][n] = job
		delete(p.Runs, n)
		files := job.files
		if c.option("held", "") != "" {
			files = p.Hold(files)
		}
		p.Send(wire.Submit{Run: n, Job: []byte(full), Files: files, Pooled: c.word(1) != "alone"})
		for _, name := range programs.Names() {
			if m, ok := programs.Module(name); ok {
				s.secrets["the module of "+name] = m[len(m)/2:][:16]
			}
		}
		return nil
	})(s, c)
}

// combined writes a combine as a job does.
func combined(kind string) string {
	if kind == "by" {
		return `{"by":{"module":"reducer.wasm","outputs":2,"params":{"x":1}}}`
	}
	return strconv.Quote(kind)
}

func cancel(s *script, c *call) error {
	return with(func(_ *script, p *Peer, c *call) error {
		p.Send(wire.Cancel{Run: uint32(c.number("run", 1))})
		return nil
	})(s, c)
}

var lies = map[string]Lie{
	"": WrongValues, "values": WrongValues, "bytes": OtherBytes, "failure": FakeFailure, "host": HostFailure, "no-more": Honest,
}

func liar(s *script, c *call) error {
	return with(func(_ *script, p *Peer, c *call) error {
		lie, ok := lies[c.word(1)]
		if !ok {
			return errors.New("there is no such lie")
		}
		p.Lie = lie
		return nil
	})(s, c)
}

func slow(s *script, c *call) error {
	return with(func(_ *script, p *Peer, c *call) error { p.Slow = atoi(c.word(1)); return nil })(s, c)
}

func disconnect(s *script, c *call) error {
	return with(func(_ *script, p *Peer, c *call) error { p.Disconnect(c.word(1) == "stay"); return nil })(s, c)
}

func killServer(s *script, c *call) error {
	s.w.KillServer(int(c.number("effects", 0)), c.span("down", tick.Second))
	return nil
}

// loseServer kills the server with its disk.
func loseServer(s *script, c *call) error {
	s.w.KillServer(0, c.span("down", tick.Second))
	s.w.server.disk = map[id.Room]*files{}
	return nil
}

func run(s *script, c *call) error {
	if err := s.until(span(c.word(0)), func() bool { return false }); !errors.Is(err, ErrTime) {
		return err
	}
	return nil
}

func until(s *script, c *call) error {
	within := c.span("within", 10*tick.Minute)
	from := s.w.Now()
	var last error
	err := s.until(within, func() bool { last = holds(s, c); return last == nil })
	if err != nil {
		return fmt.Errorf("%w: %w", err, last)
	}
	if at := c.span("after", 0); s.w.Now().Sub(from) < at {
		return fmt.Errorf("it took only %d ms", s.w.Now().Sub(from).Milliseconds())
	}
	return nil
}

func expect(s *script, c *call) error { return holds(s, c) }

func story(s *script, c *call) error {
	return with(func(s *script, p *Peer, c *call) error {
		for _, l := range s.w.stories(p, uint32(c.number("run", 1)), uint64(atoi(c.word(1)))) {
			s.shown = append(s.shown, "    "+l)
		}
		return nil
	})(s, c)
}

package sim

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"shoal/sdk/tick"
	"shoal/sdk/wire"
	"shoal/wasm/programs"
)

// holds says whether a condition holds: a peer, a verb, and what it asks for. A
// verb after not must not hold. The error says how it is instead.
func holds(s *script, c *call) error {
	p := s.peers[c.word(0)]
	verb, rest := c.word(1), c.words[min(2, len(c.words)):]
	if p == nil {
		return errors.New("there is no such peer")
	}
	if verb == "not" && len(rest) > 0 {
		verb, rest = rest[0], rest[1:]
		if is(s, p, c, verb, rest) == nil {
			return errors.New("but it does: " + verb)
		}
		return nil
	}
	return is(s, p, c, verb, rest)
}

func is(s *script, p *Peer, c *call, verb string, rest []string) error {
	arg := strings.Join(rest, " ")
	n := uint32(c.number("run", 1))
	r := p.Runs[n]
	if r == nil {
		r = &Run{}
	}
	var unfinished, unkept int
	if p.Alive() {
		unfinished, unkept = p.machine.Busy()
	}
	switch verb {
	case "done": // ended with the digest of the same job alone
		switch {
		case r.Refused != nil:
			return errors.New("refused: " + r.Refused.Refusal.Code + ": " + r.Refused.Refusal.Why)
		case r.Ended == nil:
			return fmt.Errorf("run %d goes on: settled %d, held %d, leased %d, waiting %q", n, r.Settled, r.Held, r.Leased, r.Waiting)
		}
		// Alone with the same grain, and alone in one piece.
		for _, grain := range []uint64{s.jobs[p][n].grain, 1 << 20} {
			want, units, err := alone(s.jobs[p][n], grain)
			got := r.Ended.Digest.String()
			if err != nil || got != want || r.Ended.Units != units && grain != 1<<20 {
				return fmt.Errorf("digest %s, %d units; alone it is %s, %d units, %w", got, r.Ended.Units, want, units, err)
			}
		}
		return nil
	case "over":
		return want(r.Over(), true)
	case "refused":
		if r.Refused == nil {
			return errors.New("it is not refused")
		}
		return want(r.Refused.Refusal.Code, arg)
	case "reason": // the why of the refusal contains this
		if r.Refused == nil || !strings.Contains(r.Refused.Refusal.Why, arg) {
			return fmt.Errorf("refused with %+v", r.Refused)
		}
		return nil
	case "nothing-ran":
		return want(r.Refused != nil && !r.Refused.Started, true)
	case "waits":
		return want(r.Waiting, arg)
	case "moves":
		return want(r.Waiting, "")
	case "settled":
		return compare(r.Settled, arg)
	case "held":
		return compare(r.Held, arg)
	case "leased":
		return compare(r.Leased, arg)
	case "is":
		return want(p.State, arg)
	case "lending":
		return want(p.Lending, arg)
	case "told":
		if len(p.Refused) == 0 {
			return errors.New("it was told nothing")
		}
		return want(p.Refused[len(p.Refused)-1], arg)
	case "hears": // a guest knocks
		for _, k := range p.Guests {
			if k.Label == arg {
				return nil
			}
		}
		return errors.New("nobody of that name knocks")
	case "same-words":
		return sameWords(p, s.peers[arg])
	case "lent": // tasks done for others
		return compare(p.ExecutedForOthers, arg)
	case "computed-own":
		return compare(p.ExecutedOwn, arg)
	case "computing":
		return want(p.busy() > 0, true)
	case "stopped": // no worker computes
		return want(p.busy(), 0)
	case "idle": // holds neither leases nor results
		return want(fmt.Sprint(unfinished, unkept, p.busy()), "0 0 0")
	case "idle-soon": // once the others know that their results are kept
		return s.until(tick.Minute, func() bool { return is(s, p, c, "idle", nil) == nil })
	case "was-given": // records, to mallory
		return compare(uint64(p.machine.(*mallory).stolen), arg)
	case "holds": // unfinished leases
		return compare(uint64(unfinished), arg)
	case "keeps-files":
		return compare(uint64(p.Holds()), arg)
	case "ejected":
		return ejected(s, p, arg)
	case "open-jobs": // at the coordinator
		for _, h := range s.w.server.rooms {
			return compare(uint64(len(h.machine.Pool().Jobs())), arg)
		}
		return errors.New("there is no room")
	}
	return errors.New("there is no such condition")
}

func want[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("it is %v, not %v", got, want)
	}
	return nil
}

// compare reads arg as a number, or as one after at-least or at-most.
func compare(got uint64, arg string) error {
	how, digits, ok := strings.Cut(arg, " ")
	if !ok {
		how, digits = "", arg
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	switch {
	case err != nil:
		return err
	case how == "at-least" && got < n, how == "at-most" && got > n, how == "" && got != n:
		return fmt.Errorf("it is %d, not %s", got, arg)
	}
	return nil
}

func sameWords(p, guest *Peer) error {
	if guest == nil || len(p.Guests) == 0 {
		return errors.New("there is no guest")
	}
	words := ""
	for _, e := range guest.Effects {
		if now, ok := e.(wire.PoolNow); ok && now.Words != "" {
			words = now.Words
		}
	}
	return want(p.Guests[len(p.Guests)-1].Words, words)
}

// ejected asks the coordinator whether a job's owner has ejected a peer.
func ejected(s *script, p *Peer, name string) error {
	for _, l := range s.log {
		if strings.HasSuffix(l, p.Name+" ejects "+name) {
			return nil
		}
	}
	return errors.New("it is not ejected")
}

func (p *Peer) busy() int {
	n := 0
	for _, t := range p.tasks {
		if t != 0 {
			n++
		}
	}
	return n
}

var answersAlone = map[string]*wire.RunEnded{}

// alone runs a job on one device without a server.
func alone(j submitted, grain uint64) (digest string, units uint64, err error) {
	key := fmt.Sprint(j.job, grain)
	for _, f := range j.files {
		key += string(f.Data)
	}
	e := answersAlone[key]
	if e == nil {
		w := New(Config{Seed: 1, Module: programs.Module})
		w.server.kill()
		p := w.Add("alone", 1)
		p.Send(wire.Submit{Run: 1, Job: []byte(j.job), Files: j.files, Grain: grain})
		if err := w.Run(tick.Time(60*tick.Minute), func() bool { return p.Runs[1] != nil && p.Runs[1].Over() }); err != nil {
			return "", 0, err
		}
		if e = p.Runs[1].Ended; e == nil {
			return "", 0, fmt.Errorf("alone it is refused: %+v", p.Runs[1].Refused)
		}
		answersAlone[key] = e
	}
	return e.Digest.String(), e.Units, nil
}

package sim

import (
	"shoal/sdk/id"
	"shoal/sdk/shard"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// Send feeds an event and performs the effects.
func (p *Peer) Send(ev wire.Event) {
	if p.machine == nil {
		return
	}
	// Across the border everything is bytes, as between the real host and module.
	back, err := wire.DecodeEvent(wire.AppendEvent(nil, ev))
	p.world.broke(p.Name+" event", err)
	if err != nil {
		return
	}
	p.world.broke(p.Name, p.machine.Handle(p.world.now, back))
	p.world.broke(p.Name, p.machine.Check())
	for {
		e, ok := p.machine.Poll()
		if !ok {
			return
		}
		back, err := wire.DecodeEffect(wire.AppendEffect(nil, e))
		p.world.broke(p.Name+" effect", err)
		if err != nil {
			return
		}
		p.perform(back)
	}
}

func (p *Peer) perform(e wire.Effect) {
	w := p.world
	life := p.life
	later := func(d tick.Duration, ev func() wire.Event) {
		w.After(d, func() {
			if p.life == life {
				p.Send(ev())
			}
		})
	}
	switch e := e.(type) {
	case wire.Booted:
		p.seed, p.self = e.Seed, e.Peer
	case wire.Compile:
		done := wire.Compiled{Program: e.Program}
		if p.Uncompilable {
			done.Why = "this engine cannot"
		} else {
			p.programs[e.Program] = true
		}
		later(tick.Millisecond, func() wire.Event { return done })
	case wire.Forget:
		delete(p.programs, e.Program)
	case wire.Assign:
		p.execute(e)
	case wire.Abort:
		p.tasks[e.Worker] = 0
		p.runners[e.Worker] = shard.Runner{}
	case wire.Dial:
		w.dial(p, e.Conn)
	case wire.Transmit:
		if p.pipe != nil && p.pipe.conn == e.Conn {
			p.pipe.toServer(e.Data)
		}
	case wire.Hangup:
		if c := p.pipe; c != nil && c.conn == e.Conn {
			p.pipe = nil
			c.cut()
		}
	case wire.Wake:
		p.wakeAt(tick.Time(e.At))
	case wire.Store:
		if len(e.Data) == 0 {
			return
		}
		later(w.Span(tick.Millisecond, 10*tick.Millisecond), func() wire.Event { return wire.Stored{Key: e.Key} })
	case wire.Read:
		p.read(e, later)
	case wire.Release:
		if _, ok := p.held.data[e.Held]; !ok {
			w.broke(p.Name, errReleased)
		}
		delete(p.held.data, e.Held)
	case wire.StorePool:
		p.pool = e.State
	case wire.Invited:
		p.Invite = e.URL
	default:
		p.told(e)
	}
}

// execute computes a task with the model program, in virtual time.
func (p *Peer) execute(e wire.Assign) {
	t, err := wire.DecodeTask(e.Task)
	p.world.broke(p.Name+" task", err)
	if err != nil {
		return
	}
	if t.Manifest.Owner == p.self || t.Manifest.Owner == (id.Peer{}) {
		p.ExecutedOwn++
	} else {
		p.ExecutedForOthers++
	}
	p.task++
	n := p.task
	p.tasks[e.Worker] = n
	slow := max(p.Slow, 1)
	d := tick.Duration(t.Items)*p.world.cfg.ComputePerItem*tick.Duration(slow) + tick.Millisecond
	life := p.life
	p.world.After(d, func() {
		if p.life != life || p.tasks[e.Worker] != n {
			return
		}
		p.tasks[e.Worker] = 0
		p.Send(wire.Computed{Worker: e.Worker, Answer: p.answer(e.Worker, t).Append(nil)})
	})
}

// answer executes a task, and lies about it if the device does.
func (p *Peer) answer(worker uint32, t wire.Task) wire.Answer {
	a := p.runners[worker].Execute(instances{p}, t)
	if p.world.cfg.Answered != nil {
		p.world.cfg.Answered(t, a)
	}
	switch p.Lie {
	case Honest, WrongValues, HostFailure:
	case OtherBytes:
		a.Digest[0] ^= 1
	case FakeFailure:
		a.Outcome, a.Result, a.Why = wire.OutcomeTrap, nil, "so they say"
		a.Digest = shard.FailureDigest(a)
	}
	return a
}

type instances struct{ peer *Peer }

func (i instances) Instantiate(program id.Program) (shard.Instance, error) {
	if !i.peer.programs[program] {
		return nil, errNoProgram
	}
	if i.peer.Lie == HostFailure {
		return nil, errNoRoom
	}
	return newModel(program, i.peer), nil
}

func (p *Peer) wakeAt(at tick.Time) {
	p.wake = at
	if at == tick.Never {
		return
	}
	life := p.life
	p.world.agenda.add(max(at, p.world.now+1), func() {
		if p.life == life && p.wake == at {
			p.Send(wire.Woken{})
		}
	})
}

func (p *Peer) opened(conn uint32) { p.Send(wire.Opened{Conn: conn}) }

func (p *Peer) received(conn uint32, data []byte) { p.Send(wire.Received{Conn: conn, Data: data}) }

func (p *Peer) closed(conn uint32) { p.Send(wire.Closed{Conn: conn, Why: "cut"}) }

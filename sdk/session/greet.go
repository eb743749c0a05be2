package session

import (
	"shoal/sdk/diag"
	"shoal/sdk/tick"
	"shoal/sdk/wire"
)

// receive takes one packet of the server.
func (c *Client) receive(data []byte) {
	p, err := wire.DecodePacket(data)
	if err != nil {
		c.fault("the server sent what is no packet: " + err.Error())
		return
	}
	switch p := p.(type) {
	case wire.Turned:
		c.turned(p)
		return
	case wire.Goaway:
		c.goaway(p)
		return
	case wire.Challenge:
		if c.state == Waiting {
			c.hello(p)
			return
		}
	case wire.Welcome:
		if c.state == Challenged {
			c.welcome(p)
			return
		}
	case wire.Numbered:
		if c.state == Connected {
			c.numbered(p)
			return
		}
	case wire.Beat:
		if c.state == Connected {
			c.beat(p)
			return
		}
	}
	c.fault("the server sent a packet out of turn while " + c.state.String())
}

// hello answers the server's challenge.
func (c *Client) hello(ch wire.Challenge) {
	if !speaks(ch.Version, wire.Version) {
		c.hangup()
		c.idle()
		c.out = append(c.out, Refused{Final: true, Refusal: diag.New("version/wire",
			"this device speaks version "+decimal(wire.Version)+" and the server "+versions(ch.Version))})
		return
	}
	h := wire.Hello{
		Version: wire.Version, Engine: c.cfg.Engine, Room: c.cfg.Room,
		Open: c.cfg.Open, Token: c.cfg.Token, Guest: c.cfg.Guest,
	}
	c.offered = ch.Boot
	c.asked = c.stream != nil && c.boot == ch.Boot
	if c.asked {
		h.Boot, h.Seen = c.boot, c.stream.Seen()
	}
	c.state, c.deadline = Challenged, c.now.Add(greetFor)
	c.transmit(SignHello(c.cfg.Seed, ch.Nonce, h))
}

// welcome goes on with the stream, or begins a new one.
func (c *Client) welcome(w wire.Welcome) {
	var again []wire.Numbered
	if w.Resumed {
		var err error
		if c.asked {
			again, err = c.stream.Resume(w.Seen)
		}
		if !c.asked || err != nil {
			c.fault("the server went on with a stream that this device does not have")
			return
		}
	} else {
		c.stream, c.boot = &Stream{}, c.offered
	}
	c.state, c.deadline, c.leaveAt = Connected, tick.Never, tick.Never
	c.upSince, c.spoke, c.beaten = c.now, c.now, c.now
	c.out = append(c.out, Up{Resumed: w.Resumed, Network: w.Network})
	for _, n := range again {
		c.transmit(n)
	}
}

func (c *Client) numbered(n wire.Numbered) {
	// The body is read before the number counts as received.
	message, err := wire.DecodeDownward(n.Body)
	if err != nil {
		c.fault("the server sent what is no message: " + err.Error())
		return
	}
	_, deliver, err := c.stream.Receive(c.now, n)
	if err != nil {
		c.fault(err.Error())
		return
	}
	if deliver {
		c.out = append(c.out, Deliver{Message: message})
	}
}

func (c *Client) beat(b wire.Beat) {
	if err := c.stream.Acked(b.Ack); err != nil {
		c.fault(err.Error())
		return
	}
	if b.Echo {
		c.transmit(wire.Beat{Ack: c.stream.Ack()})
	}
}

// turned follows the server's refusal.
func (c *Client) turned(t wire.Turned) {
	c.hangup()
	r := FromWire(t.Refusal)
	if t.RetryMs == 0 {
		c.idle()
		c.out = append(c.out, Refused{Refusal: r, Final: true})
		return
	}
	c.out = append(c.out, Refused{Refusal: r})
	wait := min(tick.Duration(t.RetryMs)*tick.Millisecond, maxWindow)
	c.attempts++
	c.retry("the server refused: "+r.Code, wait+c.jitter.below(wait/2))
}

// goaway plans to leave within the window. An earlier plan stays.
func (c *Client) goaway(g wire.Goaway) {
	wait := c.jitter.below(min(tick.Duration(g.WindowMs)*tick.Millisecond, maxWindow))
	if c.state == Connected {
		c.leaveAt = c.leaveAt.Earlier(c.now.Add(wait))
		return
	}
	c.hangup()
	c.retry("the server asked to reconnect", wait)
}

package peer

import "strconv"

func (m *Machine) DebugLinks() []string {
	var out []string
	if m.guest == nil {
		return nil
	}
	for _, p := range m.guest.linked() {
		l := m.guest.links[p]
		out = append(out, m.self.Short()+"->"+p.Short()+" up="+strconv.FormatBool(l.up)+" isup="+strconv.FormatBool(l.session.IsUp())+" wake="+strconv.FormatInt(int64(l.session.Wake()-m.now)/1e6, 10)+" queue="+strconv.Itoa(len(l.queue))+" guest="+strconv.FormatBool(l.guest)+" backlog="+strconv.Itoa(l.session.Backlog()))
	}
	return out
}

func (m *Machine) DebugSession() string {
	return m.guest.session.State().String() + " wake " + strconv.FormatInt(int64(m.guest.session.Wake())/1e6, 10) + " now " + strconv.FormatInt(int64(m.now)/1e6, 10) + " mwake " + strconv.FormatInt(int64(m.wakeAt())/1e6, 10)
}

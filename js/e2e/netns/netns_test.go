package netns

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// echo serves one connection that sends back what it reads.
func echo(t *testing.T, l net.Listener) {
	t.Helper()
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				io.Copy(c, c)
			}()
		}
	}()
}

func say(ctx context.Context, dial func(context.Context, string, string) (net.Conn, error), addr, text string) (string, error) {
	c, err := dial(ctx, "tcp", addr)
	if err != nil {
		return "", err
	}
	defer c.Close()
	deadline, _ := ctx.Deadline()
	c.SetDeadline(deadline)
	if _, err := io.WriteString(c, text); err != nil {
		return "", err
	}
	got := make([]byte, len(text))
	_, err = io.ReadFull(c, got)
	return string(got), err
}

func bounded(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

func TestAListenerInsideIsReachableInsideOnly(t *testing.T) {
	s := New(t)
	l, err := s.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	echo(t, l)
	addr := l.Addr().String()
	got, err := say(bounded(t, 10*time.Second), s.DialContext, addr, "within")
	if err != nil || got != "within" {
		t.Fatalf("from inside: got %q, %v; want %q", got, err, "within")
	}
	outside := func(ctx context.Context, network, addr string) (net.Conn, error) {
		return Dial(ctx, "", network, addr)
	}
	// Loopback of the machine: at best another program listens on this port,
	// and that one is not our echo.
	if got, err := say(bounded(t, 2*time.Second), outside, addr, "private?"); err == nil && got == "private?" {
		t.Fatal("the machine's own network reached a listener of the namespace")
	}
}

func TestThreadsReturnToTheirOwnNetwork(t *testing.T) {
	s := New(t)
	before, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Fatal(err)
	}
	var inside string
	for range 20 {
		if err := s.Do(func() error {
			inside, err = os.Readlink("/proc/thread-self/ns/net")
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if inside == before {
		t.Fatalf("Do ran in the caller's network %s", before)
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		at, err := os.Readlink("/proc/self/task/" + task.Name() + "/ns/net")
		if err == nil && at != before {
			t.Errorf("thread %s stayed in %s, want %s", task.Name(), at, before)
		}
	}
}

func TestAFunctionThatEndsItsGoroutineDoesNotHangDo(t *testing.T) {
	s := New(t)
	ended := make(chan error, 1)
	go func() { ended <- s.Do(func() error { runtime.Goexit(); return nil }) }()
	select {
	case err := <-ended:
		if err == nil {
			t.Fatal("got no error from a function that did not return")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("Do never returned")
	}
}

func TestTheGatewayIsAnotherMachineAndTheWireCanBeCut(t *testing.T) {
	s := New(t)
	l, err := s.Gateway.Listen("tcp", s.Gateway.Addr.String()+":0")
	if err != nil {
		t.Fatal(err)
	}
	echo(t, l)
	addr := l.Addr().String()
	for _, c := range []struct {
		name string
		up   bool
	}{
		{"cut", false},
		{"plugged in again", true},
	} {
		if err := s.SetLink(c.up); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		wait := 30 * time.Second
		if !c.up {
			wait = 500 * time.Millisecond
		}
		got, err := say(bounded(t, wait), s.DialContext, addr, "over the wire")
		if ok := err == nil && got == "over the wire"; ok != c.up {
			t.Fatalf("%s: got %q, %v; want delivery %v", c.name, got, err, c.up)
		}
	}
}

func TestProgramsInsideSeeADefaultRouteAndNoOtherInterface(t *testing.T) {
	s := New(t)
	routes, err := s.Command("ip", "route").Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := "default via " + s.Gateway.Addr.String() + " dev " + device; !strings.Contains(string(routes), want) {
		t.Errorf("routes are %q, want %q among them", routes, want)
	}
	links, err := s.Command("ip", "-br", "link").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(links)) {
		if !strings.HasPrefix(line, "lo") && !strings.HasPrefix(line, device+"@") {
			t.Errorf("unexpected interface %q", line)
		}
	}
	out, err := s.Gateway.Command("ip", "route").Output()
	if err != nil || strings.Contains(string(out), "default") {
		t.Errorf("the gateway's routes are %q, %v; want none that leads out", out, err)
	}
}

func TestUDPIsDeliveredInside(t *testing.T) {
	s := New(t)
	server, err := s.ListenPacket("udp", s.Addr.String()+":0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	c, err := s.DialContext(bounded(t, 10*time.Second), "udp", server.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write([]byte("datagram")); err != nil {
		t.Fatal(err)
	}
	server.SetReadDeadline(time.Now().Add(10 * time.Second))
	buf := make([]byte, 64)
	n, from, err := server.ReadFrom(buf)
	if err != nil || string(buf[:n]) != "datagram" || from.String() != c.LocalAddr().String() {
		t.Fatalf("got %q from %v, %v; want %q from %v", buf[:n], from, err, "datagram", c.LocalAddr())
	}
}

func TestDialRefusesNamesInside(t *testing.T) {
	s := New(t)
	if c, err := s.DialContext(bounded(t, 10*time.Second), "tcp", "localhost:1"); err == nil || !strings.Contains(err.Error(), s.Name) {
		t.Fatalf("got %v, %v; want an error that names the namespace", c, err)
	}
}

func TestNamespacesAreGoneAfterTheTest(t *testing.T) {
	var name string
	t.Run("make", func(t *testing.T) { name = New(t).Name })
	if name == "" {
		t.Skip("no private network: " + Missing())
	}
	out, err := exec.Command("ip", "netns", "list").Output()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), name) {
		t.Errorf("namespace %s is left behind:\n%s", name, out)
	}
}

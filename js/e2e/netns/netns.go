// Package netns gives a test a private network: a Linux network namespace with
// a loopback interface, one Ethernet interface with an address, and a default
// route. Chromium gathers no WebRTC candidate at all without a default route,
// and a namespace is the only way to be sure that no packet of a test reaches a
// real network.
//
// The default route leads to a second namespace, the gateway, which plays "the
// other machine": a test may listen there too. The gateway itself has no route
// anywhere, so nothing leaves the pair.
//
// Needs Linux, root and iproute2. New skips the test with the reason when one
// of them is missing.
package netns

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// commandTimeout bounds one run of ip(8); a loaded machine needs well under a
// second, so reaching it means that something is stuck.
const commandTimeout = 30 * time.Second

// pollEvery is the pause between two looks at an interface.
const pollEvery = 20 * time.Millisecond

// device is the Ethernet interface of every Space. Names are per namespace, so
// one constant serves them all and nothing appears in the machine's own network.
const device = "eth0"

// Each pair is closed off from every other, so all of them use the same two
// addresses.
var (
	spaceAddr   = netip.MustParseAddr("10.77.0.2")
	gatewayAddr = netip.MustParseAddr("10.77.0.1")
)

var serial atomic.Int64

// Space is one network namespace.
type Space struct {
	// Name is what `ip netns exec` calls it.
	Name string
	// Addr is the address of its Ethernet interface, in a /24 that it shares
	// with its gateway.
	Addr netip.Addr
	// Gateway is the namespace at the other end of the wire and the target of
	// the default route; nil in a gateway.
	Gateway *Space
}

// Missing says why private networks cannot be made here, or "" if they can.
func Missing() string {
	if why := unsupported(); why != "" {
		return why
	}
	if os.Geteuid() != 0 {
		return "network namespaces need root"
	}
	if _, err := exec.LookPath("ip"); err != nil {
		return "ip(8) is not installed (Debian: iproute2)"
	}
	return ""
}

// New makes a namespace and its gateway and deletes both when the test ends.
// Start whatever lives inside after New, so that it is cleaned up before. It
// skips the test when Missing says so and fails it on any other trouble.
func New(tb testing.TB) *Space {
	tb.Helper()
	if why := Missing(); why != "" {
		tb.Skip("no private network: " + why)
	}
	base := "shoal-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(serial.Add(1), 10)
	gw := &Space{Name: base + "-gw", Addr: gatewayAddr}
	s := &Space{Name: base, Addr: spaceAddr, Gateway: gw}
	for _, ns := range []*Space{gw, s} {
		if err := run("ip", "netns", "add", ns.Name); err != nil {
			tb.Fatalf("private network: %v", err)
		}
		tb.Cleanup(func() {
			if err := run("ip", "netns", "del", ns.Name); err != nil {
				tb.Errorf("private network: %v", err)
			}
		})
		if err := ns.IP("link", "set", "lo", "up"); err != nil {
			tb.Fatalf("private network: %v", err)
		}
	}
	if err := s.wire(); err != nil {
		tb.Fatalf("private network: %v", err)
	}
	return s
}

// wire joins the space to its gateway and sets addresses and routes.
func (s *Space) wire() error {
	if err := s.IP("link", "add", device, "type", "veth", "peer", "name", device, "netns", s.Gateway.Name); err != nil {
		return err
	}
	for _, ns := range []*Space{s, s.Gateway} {
		// Router solicitations and duplicate address detection only add noise.
		if err := ns.Do(func() error { return disableIPv6(device) }); err != nil {
			return err
		}
		if err := ns.IP("addr", "add", ns.Addr.String()+"/24", "dev", device); err != nil {
			return err
		}
	}
	if err := s.Gateway.IP("link", "set", device, "up"); err != nil {
		return err
	}
	return s.SetLink(true)
}

// SetLink plugs the wire to the gateway in (with the default route) or pulls it
// out. Pulling it out loses what is in flight and leaves open sockets open, as
// a real cable does; traffic between processes in the same Space goes on.
func (s *Space) SetLink(up bool) error {
	if !up {
		return s.IP("link", "set", device, "down")
	}
	if err := s.IP("link", "set", device, "up"); err != nil {
		return err
	}
	if err := s.IP("route", "replace", "default", "via", s.Gateway.Addr.String()); err != nil {
		return err
	}
	return s.running()
}

// running waits until the kernel says that the interface is up, which it does
// up to a second late. A browser that looks before finds no usable interface
// and may never look again.
func (s *Space) running() error {
	for deadline := time.Now().Add(commandTimeout); ; time.Sleep(pollEvery) {
		out, err := s.Command("ip", "-o", "link", "show", "dev", device).Output()
		if err != nil {
			return fmt.Errorf("ip link show in %s: %w", s.Name, err)
		}
		if strings.Contains(string(out), " state UP ") {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("interface in %s does not come up: %s", s.Name, out)
		}
	}
}

// IP runs ip(8) on this namespace: IP("link", "set", "lo", "up").
func (s *Space) IP(args ...string) error {
	return run("ip", append([]string{"-n", s.Name}, args...)...)
}

// Command is exec.Command for a program that shall live in the namespace.
func (s *Space) Command(name string, args ...string) *exec.Cmd {
	argv := Argv(s.Name, name, args...)
	return exec.Command(argv[0], argv[1:]...)
}

// Argv is the command line that runs a program in the named namespace, or in
// the caller's own if ns is "".
func Argv(ns, name string, args ...string) []string {
	argv := append([]string{name}, args...)
	if ns == "" {
		return argv
	}
	return append([]string{"ip", "netns", "exec", ns}, argv...)
}

// Do calls f on a thread that is inside the namespace. Sockets and files that f
// opens stay there after Do has returned; goroutines that f starts are outside.
func (s *Space) Do(f func() error) error { return enter(s.Name, f) }

// Listen is net.Listen in the namespace. The listener is used as any other.
func (s *Space) Listen(network, addr string) (net.Listener, error) {
	return Listen(s.Name, network, addr)
}

// ListenPacket is net.ListenPacket in the namespace.
func (s *Space) ListenPacket(network, addr string) (c net.PacketConn, err error) {
	err = s.Do(func() error {
		c, err = net.ListenPacket(network, addr)
		return err
	})
	return c, err
}

// DialContext connects from inside the namespace; addr is an IP literal and a
// port. The method value fits http.Transport and websocket.Dialer.
func (s *Space) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return Dial(ctx, s.Name, network, addr)
}

// Listen is net.Listen in the named namespace, or in the caller's own if ns is
// "".
func Listen(ns, network, addr string) (l net.Listener, err error) {
	if ns == "" {
		return net.Listen(network, addr)
	}
	err = enter(ns, func() error {
		l, err = net.Listen(network, addr)
		return err
	})
	return l, err
}

// Dial connects from inside the named namespace, or from the caller's own if
// ns is "". In a namespace addr must be an IP literal and a port: resolving a
// name would happen on another thread, outside.
func Dial(ctx context.Context, ns, network, addr string) (c net.Conn, err error) {
	var d net.Dialer
	if ns == "" {
		return d.DialContext(ctx, network, addr)
	}
	if _, err := netip.ParseAddrPort(addr); err != nil {
		return nil, fmt.Errorf("dial in namespace %s: %w", ns, err)
	}
	err = enter(ns, func() error {
		c, err = d.DialContext(ctx, network, addr)
		return err
	})
	return c, err
}

func run(name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

package browser

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"shoal/js/e2e/netns"
)

// serveIn serves the test site at the namespace's own address.
func serveIn(t *testing.T, ns *netns.Space) string {
	t.Helper()
	l, err := ns.Listen("tcp", ns.Addr.String()+":0")
	if err != nil {
		t.Fatal(err)
	}
	srv := &httptest.Server{Listener: l, Config: &http.Server{Handler: site()}}
	srv.Start()
	t.Cleanup(srv.Close)
	return srv.URL + "/page.html"
}

// received counts the IP packets that have arrived at a namespace.
func received(t *testing.T, ns *netns.Space) int {
	t.Helper()
	var data []byte
	if err := ns.Do(func() (err error) {
		data, err = os.ReadFile("/proc/thread-self/net/snmp")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	n, err := ipInReceives(string(data))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func ipInReceives(snmp string) (int, error) {
	var names []string
	for line := range strings.Lines(snmp) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "Ip:" {
			continue
		}
		if names == nil {
			names = f
			continue
		}
		for i, name := range names {
			if name == "InReceives" && i < len(f) {
				return strconv.Atoi(f[i])
			}
		}
	}
	return 0, errors.New("no InReceives in /proc/net/snmp")
}

const gather = `const pc = new RTCPeerConnection();
	pc.createDataChannel('x');
	const found = new Promise((resolve) => pc.onicecandidate = (e) => resolve(e.candidate ? e.candidate.candidate : 'none'));
	await pc.setLocalDescription();
	return await found;`

func TestInAPrivateNetworkBrowsersGatherCandidatesAndTalkToNobody(t *testing.T) {
	for _, e := range Engines {
		t.Run(string(e), func(t *testing.T) {
			t.Parallel()
			ns := netns.New(t)
			if n := received(t, ns.Gateway); n != 0 {
				t.Fatalf("the gateway has %d packets before anything has started", n)
			}
			b := Launch(t, e, Options{NetNS: ns.Name})
			p := b.Open(serveIn(t, ns))
			if got := value[string](t, p, "document.title"); got != "page under test" {
				t.Errorf("got the page %q", got)
			}
			// What browsers send on their own they send soon after the start.
			if err := p.WaitFor(soon(t), fmt.Sprint("performance.now() > ", quiet.Milliseconds())); err != nil {
				t.Fatal(err)
			}
			if n := received(t, ns.Gateway); n != 0 {
				t.Errorf("%d packets left for the world", n)
			}
			// Only now, because WebRTC announces its names by multicast.
			if e != WebKit {
				got := value[string](t, p, gather)
				if !strings.HasPrefix(got, "candidate:") || !strings.Contains(got, "typ host") {
					t.Errorf("first candidate is %q, want a host candidate", got)
				}
			}
		})
	}
}

// quiet is how long a browser is listened to.
const quiet = 2 * time.Second

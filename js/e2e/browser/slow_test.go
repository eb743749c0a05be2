package browser

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

func TestASlowNetworkIsSlowForThePageAndForItsWorkers(t *testing.T) {
	t.Parallel()
	const bits, size = 4_000_000, 250_000 // half a second
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>slow</title>"))
	})
	mux.HandleFunc("/big", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, size)) })
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)

	p := Launch(t, Chromium, Options{}).Open(srv.URL)
	if err := p.Eval(soon(t), `
		globalThis.took = async (url) => {
			const start = performance.now();
			await (await fetch(url, { cache: 'no-store' })).arrayBuffer();
			return performance.now() - start;
		};
		const source = 'const took = ' + took + '; onmessage = async ({ data }) => postMessage(await took(data));';
		globalThis.worker = new Worker(URL.createObjectURL(new Blob([source])));
		globalThis.inWorker = (url) => new Promise((done) => {
			worker.onmessage = ({ data }) => done(data);
			worker.postMessage(url);
		});
		await inWorker('`+srv.URL+`/')`, nil); err != nil {
		t.Fatal(err)
	}
	if err := p.SetNetwork(Network{Latency: 100 * time.Millisecond, Down: bits}); err != nil {
		t.Fatal(err)
	}
	// The least that the limits allow, with a fifth for how they are kept.
	const least = 0.8 * (100 + 1000*float64(size)*8/bits)
	for _, where := range []string{"took", "inWorker"} {
		if ms := value[float64](t, p, where+"('"+srv.URL+"/big')"); ms < least {
			t.Errorf("%s: the bytes came after %.0f ms, sooner than the %.0f ms that the network needs", where, ms, least)
		}
	}
	if err := p.SetNetwork(Network{}); err != nil {
		t.Fatal(err)
	}
	// A busy machine is slow now and then; with the limits it would be slow always.
	ctx := soon(t)
	for ms := least; ms >= least; ms = value[float64](t, p, "took('/big')") {
		if ctx.Err() != nil {
			t.Fatalf("with the limits lifted the bytes still came after %.0f ms", ms)
		}
	}
}

func TestOnlyChromiumSlowsTheNetwork(t *testing.T) {
	t.Parallel()
	p := Launch(t, Firefox, Options{}).Open("about:blank")
	if err := p.SetNetwork(Network{Down: 1}); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("got %v, want errors.ErrUnsupported", err)
	}
}

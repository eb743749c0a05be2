// Package relay runs the server of pools in the test process, with a site on it.
package relay

import (
	"net/http/httptest"
	"testing"

	"shoal/js/e2e/site"
	"shoal/signal"
)

// Serve starts a server that also serves a site, and returns its address. Both
// end with the test.
func Serve(tb testing.TB, s site.Site, c signal.Config) string {
	tb.Helper()
	c.StateDir, c.Static = tb.TempDir(), site.Serve(tb, s)
	server, err := signal.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	srv := httptest.NewServer(server.Handler())
	tb.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
		if err := server.Close(); err != nil {
			tb.Error(err)
		}
	})
	return srv.URL
}

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A peer would try to reach such a server for ever, without a word.
func TestAServerWhoseCertificateIsUnknownIsRefused(t *testing.T) {
	needsModule(t)
	srv := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(srv.Close)
	job := `{"program": "mc/pi", "split": {"range": 10}, "combine": "moments"}`
	for _, args := range [][]string{
		{"peer", srv.URL + "/#join=abc"},
		{"peer", srv.URL},
		{"invite", srv.URL},
		{"invite", srv.URL, "--keep"},
		{"run", "-", "--pool", srv.URL + "/#join=abc"},
	} {
		t.Run(strings.Join(args[:1], " "), func(t *testing.T) {
			o := shoal(t, job, append(args, "--json")...)
			if got := o.last(t); o.code != 3 || got["code"] != "server/certificate" {
				t.Errorf("%q: exit code %d, %v, errors %q", args, o.code, got, o.err)
			}
		})
	}
}

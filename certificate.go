package main

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"shoal/sdk/diag"
)

// certificateFor bounds the look at a server's certificate.
const certificateFor = 10 * time.Second

// checkCertificate refuses a server whose certificate this machine does not
// trust: a peer would try to reach it for ever. Every other fault is left to the
// peer, which tries again.
func checkCertificate(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, certificateFor)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, u.Scheme+"://"+u.Host+"/", nil)
	if err != nil {
		return nil
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return certificateFault(err, u.Host)
	}
	return res.Body.Close()
}

// certificateFault makes a refusal of an error that is about a certificate, and
// nil of every other.
func certificateFault(err error, host string) error {
	var bad *tls.CertificateVerificationError
	if !errors.As(err, &bad) {
		return nil
	}
	why := strings.TrimPrefix(bad.Err.Error(), "x509: ")
	return diag.New("server/certificate", host+": "+why, diag.Detail{Key: "host", Value: host})
}

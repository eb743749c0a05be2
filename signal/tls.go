package signal

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"shoal/sdk/diag"
)

const (
	// selfFor is how long a certificate of our own is valid; browsers refuse
	// more than 398 days, some of them even when it is trusted by hand.
	selfFor = 365 * 24 * time.Hour
	// selfAgain is when it is made anew.
	selfAgain = 30 * 24 * time.Hour
	// lookEvery is how often certificate files are looked at for a change.
	lookEvery = 10 * time.Second
)

// tlsConfig makes the configuration for certificate files that are read again
// when they change.
func tlsConfig(certFile, keyFile string) (*tls.Config, error) {
	f := &certFiles{cert: certFile, key: keyFile}
	if err := f.load(); err != nil {
		return nil, diag.New("server/tls", err.Error())
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: f.get}, nil
}

// certFiles is a certificate that may be renewed on disk.
type certFiles struct {
	cert, key string

	mu      sync.Mutex
	current *tls.Certificate
	looked  time.Time
	changed [2]time.Time // modification times of what is current
}

func (f *certFiles) times() (out [2]time.Time, err error) {
	for i, name := range [...]string{f.cert, f.key} {
		info, e := os.Stat(name)
		if e != nil {
			return out, e
		}
		out[i] = info.ModTime()
	}
	return out, nil
}

func (f *certFiles) load() error {
	at, err := f.times()
	if err != nil {
		return err
	}
	c, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return err
	}
	f.current, f.changed, f.looked = &c, at, time.Now()
	return nil
}

// get returns the certificate. One that cannot be read while it is being
// replaced does not take the old one's place.
func (f *certFiles) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.looked) >= lookEvery {
		f.looked = time.Now()
		if at, err := f.times(); err == nil && at != f.changed {
			_ = f.load()
		}
	}
	return f.current, nil
}

// selfSigned returns the files of a certificate that the server has made for
// itself: it encrypts, but browsers warn of it until they are told to trust it.
// It is kept in dir, so that they need to be told once.
func selfSigned(dir string, names []string, now time.Time) (certFile, keyFile string, err error) {
	certFile, keyFile = filepath.Join(dir, "self.crt"), filepath.Join(dir, "self.key")
	if b, err := os.ReadFile(certFile); err == nil && fits(b, names, now) {
		if _, err := tls.LoadX509KeyPair(certFile, keyFile); err == nil {
			return certFile, keyFile, nil
		}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", "", err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return "", "", err
	}
	t := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "Shoal on this machine"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(selfFor),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}
	for _, n := range names {
		if ip := net.ParseIP(n); ip != nil {
			t.IPAddresses = append(t.IPAddresses, ip)
		} else {
			t.DNSNames = append(t.DNSNames, n)
		}
	}
	cert, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return "", "", err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return "", "", err
	}
	err = errors.Join(
		os.MkdirAll(dir, 0o700),
		os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
		os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o644),
	)
	return certFile, keyFile, err
}

// fits reports whether a certificate is valid for all of the names long enough.
func fits(file []byte, names []string, now time.Time) bool {
	block, _ := pem.Decode(file)
	if block == nil {
		return false
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil || now.Add(selfAgain).After(c.NotAfter) {
		return false
	}
	for _, n := range names {
		if c.VerifyHostname(n) != nil {
			return false
		}
	}
	return true
}

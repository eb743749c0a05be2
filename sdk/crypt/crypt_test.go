package crypt_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"math/rand/v2"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"shoal/sdk/crypt"
)

// These tests hold whichever implementation the build has against the standard
// library: natively that is the wrapper, in the module it is package compact.

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestHashesAreThoseOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 301 {
		b, cut := randomBytes(r, n), r.IntN(n+1)
		want := sha256.Sum256(b)
		if got := crypt.Sum256(b); got != want {
			t.Fatalf("Sum256 of %d bytes is %x, want %x", n, got, want)
		}
		if got := crypt.Sum256(b[:cut], b[cut:]); got != want {
			t.Fatalf("Sum256 of %d bytes in two parts is %x, want %x", n, got, want)
		}
		var h crypt.Hash256
		for _, b := range [][]byte{b[:cut], b[cut:]} {
			h.Write(b)
			h.Sum()
		}
		if got := h.Sum(); got != want {
			t.Fatalf("Hash256 of %d bytes is %x, want %x", n, got, want)
		}
		if h.Reset(); h.Sum() != sha256.Sum256(nil) {
			t.Fatal("Reset leaves something")
		}
		key := randomBytes(r, n%100)
		std := hmac.New(sha256.New, key)
		std.Write(b)
		if got := crypt.HMAC256(key, b[:cut], b[cut:]); got != [32]byte(std.Sum(nil)) {
			t.Fatalf("HMAC256 of %d bytes under a key of %d differs", n, len(key))
		}
	}
}

func TestSignaturesAreThoseOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 100 {
		seed, message := [32]byte(randomBytes(r, 32)), randomBytes(r, n)
		std := ed25519.NewKeyFromSeed(seed[:])
		key := crypt.KeyFromSeed(seed)
		public := key.Public()
		if !bytes.Equal(key[:], std) || !bytes.Equal(public[:], std[32:]) {
			t.Fatalf("key of seed %x is %x, want %x", seed, key, std)
		}
		sig := crypt.Sign(key, message)
		if !bytes.Equal(sig[:], ed25519.Sign(std, message)) {
			t.Fatalf("signature of %x under %x is %x", message, key, sig)
		}
		if !crypt.Verify(public, message, sig) {
			t.Fatalf("signature %x of %x under %x is refused", sig, message, public)
		}
		sig[r.IntN(64)] ^= 1 << r.IntN(8)
		if crypt.Verify(public, message, sig) {
			t.Fatalf("altered signature %x of %x under %x is accepted", sig, message, public)
		}
	}
}

func TestSealIsThatOfTheLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 301 {
		key, nonce := [32]byte(randomBytes(r, 32)), [12]byte(randomBytes(r, 12))
		plain, ad := randomBytes(r, n), randomBytes(r, r.IntN(40))
		a, err := chacha20poly1305.New(key[:])
		if err != nil {
			t.Fatal(err)
		}
		want := a.Seal([]byte("head"), nonce[:], plain, ad)
		sealed := crypt.Seal([]byte("head"), &key, &nonce, plain, ad)
		if !bytes.Equal(sealed, want) || len(sealed) != 4+n+crypt.TagSize {
			t.Fatalf("sealing %d bytes gives %x, want %x", n, sealed, want)
		}
		sealed = sealed[4:]
		if got, ok := crypt.Open([]byte("head"), &key, &nonce, sealed, ad); !ok || string(got) != "head"+string(plain) {
			t.Fatalf("opening %x gives %x, %t", sealed, got, ok)
		}
		sealed[r.IntN(len(sealed))] ^= 1 << r.IntN(8)
		if got, ok := crypt.Open(nil, &key, &nonce, sealed, ad); ok || got != nil {
			t.Fatalf("altered text %x opens", sealed)
		}
	}
	if got, ok := crypt.Open(nil, new([32]byte), new([12]byte), make([]byte, crypt.TagSize-1), nil); ok || got != nil {
		t.Error("a text that is shorter than a tag opens")
	}
}

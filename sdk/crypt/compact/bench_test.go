package compact_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"shoal/sdk/crypt/compact"
)

// message has the size of a leaf of an object, and of a typical record.
var message = make([]byte, 16<<10)

func BenchmarkSum256(b *testing.B) {
	b.Run("compact", func(b *testing.B) {
		b.SetBytes(int64(len(message)))
		for b.Loop() {
			compact.Sum256(message)
		}
	})
	b.Run("standard", func(b *testing.B) {
		b.SetBytes(int64(len(message)))
		for b.Loop() {
			sha256.Sum256(message)
		}
	})
}

func BenchmarkSum512(b *testing.B) {
	b.SetBytes(int64(len(message)))
	for b.Loop() {
		compact.Sum512(message)
	}
}

func BenchmarkSeal(b *testing.B) {
	var key [32]byte
	var nonce [12]byte
	out := make([]byte, 0, len(message)+compact.TagSize)
	b.Run("compact", func(b *testing.B) {
		b.SetBytes(int64(len(message)))
		for b.Loop() {
			compact.Seal(out, &key, &nonce, message, nil)
		}
	})
	b.Run("standard", func(b *testing.B) {
		b.SetBytes(int64(len(message)))
		a, err := chacha20poly1305.New(key[:])
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			a.Seal(out, nonce[:], message, nil)
		}
	})
}

func BenchmarkSign(b *testing.B) {
	text := message[:64]
	key := ed25519.NewKeyFromSeed(message[:32])
	b.Run("compact", func(b *testing.B) {
		for b.Loop() {
			compact.Ed25519Sign([64]byte(key), text)
		}
	})
	b.Run("standard", func(b *testing.B) {
		for b.Loop() {
			ed25519.Sign(key, text)
		}
	})
}

func BenchmarkVerify(b *testing.B) {
	text := message[:64]
	key := ed25519.NewKeyFromSeed(message[:32])
	public := key.Public().(ed25519.PublicKey)
	sig := ed25519.Sign(key, text)
	b.Run("compact", func(b *testing.B) {
		for b.Loop() {
			if !compact.Ed25519Verify([32]byte(public), text, [64]byte(sig)) {
				b.Fatal("a good signature was refused")
			}
		}
	})
	b.Run("standard", func(b *testing.B) {
		for b.Loop() {
			if !ed25519.Verify(public, text, sig) {
				b.Fatal("a good signature was refused")
			}
		}
	})
}

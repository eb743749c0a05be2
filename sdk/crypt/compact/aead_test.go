package compact_test

import (
	"bytes"
	"testing"

	"golang.org/x/crypto/chacha20poly1305"

	"shoal/sdk/crypt/compact"
)

// standardSeal is the same construction by golang.org/x/crypto.
func standardSeal(t testing.TB, key *[32]byte, nonce *[12]byte, plaintext, ad []byte) []byte {
	t.Helper()
	a, err := chacha20poly1305.New(key[:])
	if err != nil {
		t.Fatal(err)
	}
	return a.Seal(nil, nonce[:], plaintext, ad)
}

func TestSealGivesTheValueOfRFC8439(t *testing.T) {
	// Section 2.8.2.
	key := [32]byte(unhex(t, "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"))
	nonce := [12]byte(unhex(t, "070000004041424344454647"))
	ad := unhex(t, "50515253c0c1c2c3c4c5c6c7")
	const text = "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
	want := unhex(t, `d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b
		1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc
		3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691`)
	if got := compact.Seal(nil, &key, &nonce, []byte(text), ad); !bytes.Equal(got, want) {
		t.Errorf("sealed is\n%x, want\n%x", got, want)
	}
	if got, ok := compact.Open(nil, &key, &nonce, want, ad); !ok || string(got) != text {
		t.Errorf("opened is %q, %t", got, ok)
	}
}

func TestSealAgreesWithTheStandardLibrary(t *testing.T) {
	r := random()
	sizes := []int{1 << 20, 1<<21 + 63, 3<<20 + 17}
	for n := range 301 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		key, nonce := [32]byte(randomBytes(r, 32)), [12]byte(randomBytes(r, 12))
		plain, ad := randomBytes(r, n), randomBytes(r, r.IntN(70))
		want := standardSeal(t, &key, &nonce, plain, ad)
		if got := compact.Seal([]byte("head"), &key, &nonce, plain, ad); string(got) != "head"+string(want) {
			t.Errorf("sealing %d bytes with %d beside them differs", n, len(ad))
		}
		if got, ok := compact.Open([]byte("head"), &key, &nonce, want, ad); !ok || string(got) != "head"+string(plain) {
			t.Errorf("opening %d bytes with %d beside them differs", n, len(ad))
		}
	}
}

func TestSealWorksInPlaceAndBesideItsAdditionalData(t *testing.T) {
	r := random()
	var key [32]byte
	var nonce [12]byte
	for n := range 200 {
		plain, ad := randomBytes(r, n), randomBytes(r, 17)
		want := standardSeal(t, &key, &nonce, plain, ad)

		room := append(make([]byte, 0, n+compact.TagSize), plain...)
		if got := compact.Seal(room[:0], &key, &nonce, room, ad); !bytes.Equal(got, want) {
			t.Fatalf("sealing %d bytes in place differs", n)
		}
		if got, ok := compact.Open(room[:0], &key, &nonce, room[:n+compact.TagSize], ad); !ok || !bytes.Equal(got, plain) {
			t.Fatalf("opening %d bytes in place differs", n)
		}
		// A record: its head is what the text is sealed with.
		record := append(make([]byte, 0, 17+n+compact.TagSize), ad...)
		if got := compact.Seal(record, &key, &nonce, plain, record); !bytes.Equal(got[17:], want) || !bytes.Equal(got[:17], ad) {
			t.Fatalf("sealing %d bytes behind their additional data differs", n)
		}
	}
}

func TestNothingAlteredOpens(t *testing.T) {
	r := random()
	key, nonce := [32]byte(randomBytes(r, 32)), [12]byte(randomBytes(r, 12))
	plain, ad := randomBytes(r, 75), randomBytes(r, 20)
	sealed := compact.Seal(nil, &key, &nonce, plain, ad)
	room := make([]byte, 0, 200)
	refused := func(what string, key [32]byte, nonce [12]byte, sealed, ad []byte) {
		t.Helper()
		if got, ok := compact.Open(room, &key, &nonce, sealed, ad); ok || got != nil {
			t.Errorf("%s: it opened", what)
		}
		if !bytes.Equal(room[:cap(room)], make([]byte, cap(room))) {
			t.Fatalf("%s: it wrote what it did not open", what)
		}
	}
	flipped := func(b []byte, bit int) []byte {
		b = bytes.Clone(b)
		b[bit/8] ^= 1 << (bit % 8)
		return b
	}
	for bit := range 8 * len(sealed) {
		refused("a bit of the text", key, nonce, flipped(sealed, bit), ad)
	}
	for bit := range 8 * len(ad) {
		refused("a bit beside the text", key, nonce, sealed, flipped(ad, bit))
	}
	for bit := range 256 {
		refused("a bit of the key", [32]byte(flipped(key[:], bit)), nonce, sealed, ad)
	}
	for bit := range 96 {
		refused("a bit of the nonce", key, [12]byte(flipped(nonce[:], bit)), sealed, ad)
	}
	for n := range sealed {
		refused("a cut", key, nonce, sealed[:n], ad)
	}
	refused("a longer text", key, nonce, append(bytes.Clone(sealed), 0), ad)
	refused("a byte moved to the text", key, nonce, append(ad[19:20:20], sealed...), ad[:19])
}

func FuzzSeal(f *testing.F) {
	f.Add(make([]byte, 44), []byte("text"), []byte("beside"))
	f.Add(bytes.Repeat([]byte{255}, 44), make([]byte, 64), []byte{})
	f.Fuzz(func(t *testing.T, secret, plain, ad []byte) {
		if len(secret) < 44 {
			return
		}
		key, nonce := [32]byte(secret), [12]byte(secret[32:])
		want := standardSeal(t, &key, &nonce, plain, ad)
		if got := compact.Seal(nil, &key, &nonce, plain, ad); !bytes.Equal(got, want) {
			t.Errorf("sealed is %x, want %x", got, want)
		}
		if got, ok := compact.Open(nil, &key, &nonce, want, ad); !ok || !bytes.Equal(got, plain) {
			t.Errorf("opened is %x, %t, want %x", got, ok, plain)
		}
		// The fuzzer's text as if it had been sealed.
		a, err := chacha20poly1305.New(key[:])
		if err != nil {
			t.Fatal(err)
		}
		_, err = a.Open(nil, nonce[:], plain, ad)
		if _, ok := compact.Open(nil, &key, &nonce, plain, ad); ok != (err == nil) {
			t.Errorf("opening %x is %t, want %v", plain, ok, err)
		}
	})
}

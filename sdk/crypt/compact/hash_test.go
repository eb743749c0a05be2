package compact_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"shoal/sdk/crypt/compact"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// random returns a source that is the same in every run.
func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func TestHashesGiveThePublishedValues(t *testing.T) {
	const two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
	const four = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
	for _, c := range []struct{ name, text, sum256, sum512 string }{
		{
			"empty", "",
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
			"cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
		},
		{
			"three letters", "abc",
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
			"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
		},
		{
			"56 bytes, whose padding needs a second block", two,
			"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
			"204a8fc6dda82f0a0ced7beb8e08a41657c16ef468b228a8279be331a703c33596fd15c13b1b07f9aa1d3bea57789ca031ad85c7a71dd70354ec631238ca3445",
		},
		{
			"112 bytes, whose padding needs a second long block", four,
			"cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
			"8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
		},
		{
			"a million letters", strings.Repeat("a", 1e6),
			"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
			"e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := compact.Sum256([]byte(c.text)); hex.EncodeToString(got[:]) != c.sum256 {
				t.Errorf("SHA-256 is %x, want %s", got, c.sum256)
			}
			if got := compact.Sum512([]byte(c.text)); hex.EncodeToString(got[:]) != c.sum512 {
				t.Errorf("SHA-512 is %x, want %s", got, c.sum512)
			}
		})
	}
}

func TestHMACGivesTheValuesOfRFC4231(t *testing.T) {
	for _, c := range []struct {
		name, key, text, want string
	}{
		{"short key", strings.Repeat("\x0b", 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{"shorter key", "Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{"more than a block", strings.Repeat("\xaa", 20), strings.Repeat("\xdd", 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
		{"long key", strings.Repeat("\xaa", 131), "Test Using Larger Than Block-Size Key - Hash Key First", "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
		{
			"long key and text", strings.Repeat("\xaa", 131),
			"This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
			"9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := compact.HMAC256([]byte(c.key), []byte(c.text)); hex.EncodeToString(got[:]) != c.want {
				t.Errorf("HMAC is %x, want %s", got, c.want)
			}
		})
	}
}

func TestHashesAgreeWithTheStandardLibrary(t *testing.T) {
	r := random()
	sizes := []int{1 << 20, 1<<21 + 63, 3<<20 + 111}
	for n := range 301 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		b := randomBytes(r, n)
		if got, want := compact.Sum256(b), sha256.Sum256(b); got != want {
			t.Errorf("SHA-256 of %d bytes is %x, want %x", n, got, want)
		}
		if got, want := compact.Sum512(b), sha512.Sum512(b); got != want {
			t.Errorf("SHA-512 of %d bytes is %x, want %x", n, got, want)
		}
		// Keys of all lengths around a block, and the text in pieces.
		key, cut := randomBytes(r, n%150), r.IntN(n+1)
		std := hmac.New(sha256.New, key)
		std.Write(b)
		if got, want := compact.HMAC256(key, b[:cut], b[cut:]), [32]byte(std.Sum(nil)); got != want {
			t.Errorf("HMAC of %d bytes under a key of %d is %x, want %x", n, len(key), got, want)
		}
	}
}

func TestPiecesHashAsTheWhole(t *testing.T) {
	r := random()
	b := randomBytes(r, 1000)
	var h compact.Hash256
	for i := range 500 {
		var parts [][]byte
		for at := 0; at < len(b); {
			n := min(r.IntN(2+i), len(b)-at)
			parts = append(parts, b[at:at+n])
			at += n
		}
		h.Reset()
		for _, p := range parts {
			h.Write(p)
		}
		if got, want := h.Sum(), sha256.Sum256(b); got != want {
			t.Fatalf("SHA-256 in %d pieces is %x, want %x", len(parts), got, want)
		}
		if got, want := compact.Sum512(parts...), sha512.Sum512(b); got != want {
			t.Fatalf("SHA-512 in %d pieces is %x, want %x", len(parts), got, want)
		}
	}
}

func TestACopyOfAHashIsACheckpoint(t *testing.T) {
	var h compact.Hash256
	if h.Sum() != sha256.Sum256(nil) {
		t.Error("the zero value is not the hash of nothing")
	}
	h.Write([]byte("a"))
	before := h
	h.Write([]byte("b"))
	before.Write([]byte("c"))
	want := sha256.Sum256([]byte("ab"))
	for range 2 {
		if h.Sum() != want {
			t.Error("a copy, or Sum, changed what was hashed")
		}
	}
	if before.Sum() != sha256.Sum256([]byte("ac")) {
		t.Error("a copy did not go on from where it was made")
	}
}

func TestHashingAllocatesNothing(t *testing.T) {
	a, b := make([]byte, 100), make([]byte, 1000)
	for _, c := range []struct {
		name string
		run  func()
	}{
		{"Sum256", func() { compact.Sum256(a, b) }},
		{"Hash256", func() {
			var h compact.Hash256
			h.Write(a)
			h.Sum()
		}},
		{"HMAC256", func() { compact.HMAC256(a, b) }},
	} {
		if n := testing.AllocsPerRun(10, c.run); n != 0 {
			t.Errorf("%s allocates %v times", c.name, n)
		}
	}
}

func FuzzHashes(f *testing.F) {
	f.Add([]byte("abc"), []byte("key"), uint16(1))
	f.Add(make([]byte, 119), make([]byte, 65), uint16(64))
	f.Fuzz(func(t *testing.T, b, key []byte, at uint16) {
		cut := int(at) % (len(b) + 1)
		if got, want := compact.Sum256(b[:cut], b[cut:]), sha256.Sum256(b); got != want {
			t.Errorf("SHA-256 is %x, want %x", got, want)
		}
		if got, want := compact.Sum512(b[:cut], b[cut:]), sha512.Sum512(b); got != want {
			t.Errorf("SHA-512 is %x, want %x", got, want)
		}
		std := hmac.New(sha256.New, key)
		std.Write(b)
		if got, want := compact.HMAC256(key, b[:cut], b[cut:]), [32]byte(std.Sum(nil)); got != want {
			t.Errorf("HMAC is %x, want %x", got, want)
		}
	})
}

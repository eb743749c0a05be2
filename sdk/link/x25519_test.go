package link

import (
	"crypto/ecdh"
	"encoding/hex"
	"math/rand"
	"testing"
)

func unhex(t *testing.T, s string) (out [32]byte) {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != 32 {
		t.Fatalf("%q: want 32 bytes of hexadecimal", s)
	}
	copy(out[:], b)
	return out
}

// The vectors of RFC 7748, sections 5.2 and 6.1.
func TestX25519GivesTheResultsOfRFC7748(t *testing.T) {
	const (
		alice     = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
		alicesKey = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
		bob       = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
		bobsKey   = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
		shared    = "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"
	)
	for _, c := range []struct{ name, private, public, want string }{
		{
			"section 5.2", "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
			"e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
			"c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
		},
		{"section 6.1, first side", alice, bobsKey, shared},
		{"section 6.1, second side", bob, alicesKey, shared},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := x25519(unhex(t, c.private), unhex(t, c.public))
			if err != nil || got != unhex(t, c.want) {
				t.Errorf("got %x, %v, want %s", got, err, c.want)
			}
		})
	}
	if got := newKeypair(unhex(t, alice)).public; got != unhex(t, alicesKey) {
		t.Errorf("public key: got %x, want %s", got, alicesKey)
	}
}

// The iterated vector of section 5.2: every result is the next scalar.
func TestX25519IteratedAThousandTimesGivesTheResultOfRFC7748(t *testing.T) {
	k := [32]byte{9}
	u := k
	for i := 1; i <= 1000; i++ {
		r, err := x25519(k, u)
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		u, k = k, r
		if i == 1 && k != unhex(t, "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079") {
			t.Fatalf("after one round: got %x", k)
		}
	}
	if want := unhex(t, "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"); k != want {
		t.Errorf("got %x, want %x", k, want)
	}
}

func TestX25519AgreesWithTheStandardLibrary(t *testing.T) {
	rnd := rand.New(rand.NewSource(1))
	for i := 0; i < 200; i++ {
		var a, b [32]byte
		rnd.Read(a[:])
		rnd.Read(b[:])
		mine, other := newKeypair(a), newKeypair(b)
		ref, err := ecdh.X25519().NewPrivateKey(a[:])
		if err != nil {
			t.Fatal(err)
		}
		if [32]byte(ref.PublicKey().Bytes()) != mine.public {
			t.Fatalf("public key of %x: got %x, want %x", a, mine.public, ref.PublicKey().Bytes())
		}
		public := other.public
		public[31] |= byte(i&1) << 7 // RFC 7748 has the top bit ignored
		peer, err := ecdh.X25519().NewPublicKey(public[:])
		if err != nil {
			t.Fatal(err)
		}
		want, err := ref.ECDH(peer)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := x25519(a, public); err != nil || got != [32]byte(want) {
			t.Fatalf("%x with %x: got %x, %v, want %x", a, public, got, err, want)
		}
	}
}

// Points that some key has are accepted, all others refused: arbitrary bytes lie
// on the curve or on its twist, about half each, and where a result is given it
// is the standard one.
func TestX25519OnArbitraryBytesIsTheStandardResultOrARefusal(t *testing.T) {
	rnd := rand.New(rand.NewSource(2))
	refused := 0
	for i := 0; i < 400; i++ {
		var a, u [32]byte
		rnd.Read(a[:])
		rnd.Read(u[:])
		got, err := x25519(a, u)
		if err != nil {
			refused++
			continue
		}
		ref, _ := ecdh.X25519().NewPrivateKey(a[:])
		peer, _ := ecdh.X25519().NewPublicKey(u[:])
		want, err := ref.ECDH(peer)
		if err != nil || got != [32]byte(want) {
			t.Fatalf("%x with %x: got %x, want %x, %v", a, u, got, want, err)
		}
	}
	if refused < 150 || refused > 250 {
		t.Errorf("%d of 400 arbitrary values were refused, want about half", refused)
	}
}

func TestX25519RefusesPointsOfSmallOrderAndOfTheTwist(t *testing.T) {
	private := unhex(t, "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
	for _, c := range []struct{ name, public string }{
		{"zero", "0000000000000000000000000000000000000000000000000000000000000000"},
		{"one", "0100000000000000000000000000000000000000000000000000000000000000"},
		{"order eight", "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"},
		{"order eight, second", "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"},
		{"p-1", "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"},
		{"p, which is zero", "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"},
		{"p+1, which is one", "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"},
		{"twist, second vector of section 5.2", "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := x25519(private, unhex(t, c.public)); err == nil {
				t.Errorf("got %x, want a refusal", got)
			}
		})
	}
}

package compact

import (
	"encoding/hex"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestBlocksOfTheKeyStreamAreThoseOfRFC8439(t *testing.T) {
	// Section 2.3.2.
	var key [32]byte
	for i := range key {
		key[i] = byte(i)
	}
	s := newStream(&key, &[12]byte{3: 9, 7: 0x4a})
	s[12] = 1
	var block [64]byte
	s.block(&block)
	const want = "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e" +
		"d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"
	if got := hex.EncodeToString(block[:]); got != want || s[12] != 2 {
		t.Errorf("block is\n%s, want\n%s; the next is number %d", got, want, s[12])
	}
}

func TestTagsOfPoly1305AreThoseOfRFC8439(t *testing.T) {
	// Section 2.5.2. Its message ends within a block; the AEAD construction's
	// never do, so the last block is added by hand.
	key, err := hex.DecodeString("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
	if err != nil {
		t.Fatal(err)
	}
	const text = "Cryptographic Forum Research Group"
	if got := tagOf([32]byte(key), []byte(text)); hex.EncodeToString(got[:]) != "a8061dc1305136c6c22b8baf0c0127a9" {
		t.Errorf("tag is %x", got)
	}
	m := newAuthenticator((*[32]byte)(key))
	m.add([]byte(text[:32]))
	if got, want := m.sum(), tagOf([32]byte(key), []byte(text[:32])); got != want {
		t.Errorf("tag is %x, want %x", got, want)
	}
}

// tagOf is Poly1305 as section 2.5 of RFC 8439 defines it, in big integers.
func tagOf(key [32]byte, message []byte) [16]byte {
	number := func(b []byte) *big.Int {
		b = slices.Clone(b)
		slices.Reverse(b)
		return new(big.Int).SetBytes(b)
	}
	clamp, _ := new(big.Int).SetString("0ffffffc0ffffffc0ffffffc0fffffff", 16)
	r := new(big.Int).And(number(key[:16]), clamp)
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	h := new(big.Int)
	for block := range slices.Chunk(message, 16) {
		h.Add(h, number(append(slices.Clone(block), 1)))
		h.Mod(h.Mul(h, r), p)
	}
	h.Add(h, number(key[16:]))
	h.And(h, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
	var out [16]byte
	h.FillBytes(out[:])
	slices.Reverse(out[:])
	return out
}

// TestTagsAreRightWhereCarriesRunThrough uses keys and blocks of all zeros, all
// ones and their neighbours, for which the number before the last reduction is at
// the modulus or beside it.
func TestTagsAreRightWhereCarriesRunThrough(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	bytes := []byte{0, 0, 0, 1, 2, 3, 4, 5, 0x7f, 0x80, 0xfa, 0xfb, 0xfc, 0xfe, 0xff, 0xff, 0xff}
	fill := func(b []byte) {
		if r.IntN(2) == 0 {
			for i := range b {
				b[i] = bytes[r.IntN(len(bytes))]
			}
			return
		}
		c := bytes[r.IntN(len(bytes))]
		for i := range b {
			b[i] = c
		}
		b[0] = bytes[r.IntN(len(bytes))]
	}
	for range 20000 {
		var key [32]byte
		fill(key[:16])
		fill(key[16:])
		message := make([]byte, 16*r.IntN(6))
		for at := 0; at < len(message); at += 16 {
			fill(message[at : at+16])
		}
		m := newAuthenticator(&key)
		m.blocks(message)
		if got, want := m.sum(), tagOf(key, message); got != want {
			t.Fatalf("tag of %x under %x is %x, want %x", message, key, got, want)
		}
	}
}

func TestTheLastReductionIsExactAroundTheModulus(t *testing.T) {
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 130), big.NewInt(5))
	mask := new(big.Int).SetUint64(limb)
	for d := int64(-40); d <= 40; d++ {
		v := new(big.Int).Add(p, big.NewInt(d))
		var m authenticator
		for i := range m.h {
			m.h[i] = new(big.Int).And(new(big.Int).Rsh(v, uint(26*i)), mask).Uint64()
		}
		m.h[4] |= new(big.Int).Rsh(v, 130).Uint64() << 26
		want := new(big.Int).Mod(v, p)
		want.And(want, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
		var b [16]byte
		want.FillBytes(b[:])
		slices.Reverse(b[:])
		if got := m.sum(); got != b {
			t.Errorf("modulus %+d reduces to %x, want %x", d, got, b)
		}
	}
}

package compact_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha512"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"filippo.io/edwards25519"

	"shoal/sdk/crypt/compact"
)

// agree fails the test where the two implementations judge a signature
// differently, and returns their verdict.
func agree(t testing.TB, what string, public, message, sig []byte) bool {
	t.Helper()
	want := ed25519.Verify(public, message, sig)
	if got := compact.Ed25519Verify([32]byte(public), message, [64]byte(sig)); got != want {
		t.Errorf("%s: verdict %t, the standard library's is %t\nkey %x\nmessage %x\nsignature %x", what, got, want, public, message, sig)
	}
	return want
}

func TestSignaturesAreThoseOfRFC8032(t *testing.T) {
	for _, c := range []struct{ name, seed, public, message, sig string }{
		{
			"test 1", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
			"d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
			"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
		},
		{
			"test 2", "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
			"3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
			"92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
		},
		{
			"test 3", "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
			"fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
			"6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
		},
		{
			"test SHA(abc)", "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
			"ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
			"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
			"dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			seed, message := [32]byte(unhex(t, c.seed)), unhex(t, c.message)
			public := compact.Ed25519Public(seed)
			if !bytes.Equal(public[:], unhex(t, c.public)) {
				t.Errorf("public key is %x, want %s", public, c.public)
			}
			sig := compact.Ed25519Sign([64]byte(append(seed[:], public[:]...)), message)
			if !bytes.Equal(sig[:], unhex(t, c.sig)) {
				t.Errorf("signature is %x, want %s", sig, c.sig)
			}
			if !agree(t, c.name, public[:], message, sig[:]) {
				t.Error("its own signature does not verify")
			}
		})
	}
}

func TestKeysAndSignaturesAgreeWithTheStandardLibrary(t *testing.T) {
	r := random()
	for n := range 301 {
		key := ed25519.NewKeyFromSeed(randomBytes(r, 32))
		if got := compact.Ed25519Public([32]byte(key)); !bytes.Equal(got[:], key[32:]) {
			t.Fatalf("public key of %x is %x", key[:32], got)
		}
		message := randomBytes(r, n)
		want := ed25519.Sign(key, message)
		if got := compact.Ed25519Sign([64]byte(key), message); !bytes.Equal(got[:], want) {
			t.Fatalf("signature of %x under %x is %x, want %x", message, key, got, want)
		}
		if !agree(t, "an honest signature", key[32:], message, want) {
			t.Fatalf("an honest signature of %x under %x is refused", message, key)
		}
	}
}

func TestEveryFlippedBitIsRefused(t *testing.T) {
	r := random()
	key := ed25519.NewKeyFromSeed(randomBytes(r, 32))
	message := randomBytes(r, 40)
	sig := ed25519.Sign(key, message)
	public := []byte(key[32:])
	for _, b := range [][]byte{sig, public, message} {
		for bit := range 8 * len(b) {
			b[bit/8] ^= 1 << (bit % 8)
			if agree(t, "bit "+strconv.Itoa(bit), public, message, sig) {
				t.Errorf("bit %d of %d bytes is flipped, and the signature verifies", bit, len(b))
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
	}
}

func TestRandomMutationsAreJudgedAlike(t *testing.T) {
	r := random()
	key := ed25519.NewKeyFromSeed(randomBytes(r, 32))
	message := randomBytes(r, 40)
	good := ed25519.Sign(key, message)
	rounds := 4000
	if testing.Short() { // as where the module's tests are run
		rounds = 400
	}
	for range rounds {
		public, sig := bytes.Clone(key[32:]), bytes.Clone(good)
		switch r.IntN(5) {
		case 0:
			for range 1 + r.IntN(3) {
				sig[r.IntN(64)] = byte(r.Uint32())
			}
		case 1:
			copy(public, randomBytes(r, 32))
		case 2:
			copy(sig[:32], randomBytes(r, 32))
		case 3:
			copy(sig[32:], randomBytes(r, 32))
		case 4:
			sig[63] = byte(r.Uint32())
		}
		agree(t, "a mutation", public, message, sig)
	}
}

// order is the order of the group's large part, 2^252 + 27742317777372353535851937790883648493.
func order() *big.Int {
	l, _ := new(big.Int).SetString("27742317777372353535851937790883648493", 10)
	return l.SetBit(l, 252, 1)
}

func little(n *big.Int) []byte {
	b := n.FillBytes(make([]byte, 32))
	slices.Reverse(b)
	return b
}

func TestALargeSIsRefused(t *testing.T) {
	r := random()
	key := ed25519.NewKeyFromSeed(randomBytes(r, 32))
	message := []byte("malleable")
	good := ed25519.Sign(key, message)
	s := bytes.Clone(good[32:])
	slices.Reverse(s)
	n := new(big.Int).SetBytes(s)
	for i := 1; ; i++ {
		n.Add(n, order())
		if n.BitLen() > 256 {
			if i < 15 {
				t.Fatalf("only %d large forms of S were tried", i-1)
			}
			return
		}
		if agree(t, "S plus a multiple of the order", key[32:], message, append(bytes.Clone(good[:32]), little(n)...)) {
			t.Errorf("S plus %d times the order is accepted", i)
		}
	}
}

// awkward returns encodings that stand at the edges of what a point is: those of
// all points of small order, and every y of the 19 that have a second form, each
// with both signs and in both forms.
func awkward(t *testing.T) [][]byte {
	t.Helper()
	p := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	var ys []*big.Int
	for y := range int64(19) {
		ys = append(ys, big.NewInt(y), new(big.Int).Add(p, big.NewInt(y)))
	}
	ys = append(ys, new(big.Int).Sub(p, big.NewInt(1)))
	for _, small := range torsion(t) {
		b := small.Bytes()
		b[31] &= 127
		slices.Reverse(b)
		ys = append(ys, new(big.Int).SetBytes(b))
	}
	var out [][]byte
	for _, y := range ys {
		for sign := range byte(2) {
			b := little(y)
			b[31] |= sign << 7
			out = append(out, b)
		}
	}
	return out
}

// torsion returns the eight points of small order.
func torsion(t *testing.T) []*edwards25519.Point {
	t.Helper()
	// The order times any point whose part of small order is whole.
	l, err := edwards25519.NewScalar().SetCanonicalBytes(little(new(big.Int).Sub(order(), big.NewInt(1))))
	if err != nil {
		t.Fatal(err)
	}
	r := random()
	for {
		p, err := new(edwards25519.Point).SetBytes(randomBytes(r, 32))
		if err != nil {
			continue
		}
		small := new(edwards25519.Point).ScalarMult(l, p)
		small.Add(small, p)
		out := []*edwards25519.Point{edwards25519.NewIdentityPoint()}
		for len(out) < 8 {
			next := new(edwards25519.Point).Add(out[len(out)-1], small)
			if next.Equal(out[0]) == 1 {
				break
			}
			out = append(out, next)
		}
		if len(out) == 8 {
			return out
		}
	}
}

func TestAwkwardPointsAreJudgedAlike(t *testing.T) {
	points := awkward(t)
	accepted, refused := 0, 0
	for i, public := range points {
		for j, point := range points {
			if testing.Short() && (i+j)%7 != 0 {
				continue
			}
			// With S = 0 the signature holds where R is −k times the key.
			if agree(t, "awkward points", public, []byte("m"), append(bytes.Clone(point), make([]byte, 32)...)) {
				accepted++
			} else {
				refused++
			}
		}
	}
	if accepted == 0 || refused == 0 {
		t.Errorf("%d were accepted and %d refused: the test does not reach both verdicts", accepted, refused)
	}
}

// TestKeysWithASmallPartAreJudgedAlike signs under keys and nonces to which a
// point of small order was added. Whether such a signature holds depends on
// whether the equation is multiplied by the cofactor.
func TestKeysWithASmallPartAreJudgedAlike(t *testing.T) {
	r := random()
	scalar := func() *edwards25519.Scalar {
		s, err := edwards25519.NewScalar().SetUniformBytes(randomBytes(r, 64))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	accepted, refused := 0, 0
	for range 5 {
		secret, nonce := scalar(), scalar()
		for _, small := range torsion(t) {
			for _, other := range torsion(t) {
				public := new(edwards25519.Point).ScalarBaseMult(secret)
				public.Add(public, small)
				point := new(edwards25519.Point).ScalarBaseMult(nonce)
				point.Add(point, other)
				message := randomBytes(r, 8)
				h := sha512.Sum512(slices.Concat(point.Bytes(), public.Bytes(), message))
				k, err := edwards25519.NewScalar().SetUniformBytes(h[:])
				if err != nil {
					t.Fatal(err)
				}
				s := edwards25519.NewScalar().MultiplyAdd(k, secret, nonce)
				if agree(t, "a key with a small part", public.Bytes(), message, append(point.Bytes(), s.Bytes()...)) {
					accepted++
				} else {
					refused++
				}
			}
		}
	}
	if accepted == 0 || refused == 0 {
		t.Errorf("%d were accepted and %d refused: the test does not reach both verdicts", accepted, refused)
	}
}

func FuzzEd25519(f *testing.F) {
	f.Add(make([]byte, 32), []byte("message"), make([]byte, 96))
	f.Add(bytes.Repeat([]byte{7}, 32), []byte{}, append(make([]byte, 95), 1))
	f.Fuzz(func(t *testing.T, seed, message, change []byte) {
		if len(seed) < 32 || len(change) < 96 {
			return
		}
		key := ed25519.NewKeyFromSeed(seed[:32])
		sig := ed25519.Sign(key, message)
		if got := compact.Ed25519Sign([64]byte(key), message); !bytes.Equal(got[:], sig) {
			t.Errorf("signature of %x under %x is %x, want %x", message, key, got, sig)
		}
		public := bytes.Clone(key[32:])
		for i, c := range change[:64] {
			sig[i] ^= c
		}
		for i, c := range change[64:96] {
			public[i] ^= c
		}
		agree(t, "an altered signature", public, message, sig)
		agree(t, "an arbitrary signature", change[64:96], message, change[:64])
	})
}

package compact

import (
	"math/big"
	"testing"
)

func TestConstantsComeFromTheRootsOfPrimes(t *testing.T) {
	var primes []int64
	for n := int64(2); len(primes) < 80; n++ {
		if big.NewInt(n).ProbablyPrime(0) {
			primes = append(primes, n)
		}
	}
	// root returns the first 64 fraction bits of a root: those of the largest x
	// for which (x / 2^64)^degree does not exceed n.
	root := func(n int64, degree uint) uint64 {
		limit := new(big.Int).Lsh(big.NewInt(n), 64*degree)
		x := new(big.Int)
		for bit := 72; bit >= 0; bit-- {
			y := new(big.Int).SetBit(x, bit, 1)
			if new(big.Int).Exp(y, big.NewInt(int64(degree)), nil).Cmp(limit) <= 0 {
				x = y
			}
		}
		return new(big.Int).And(x, new(big.Int).SetUint64(1<<64-1)).Uint64()
	}
	for i, p := range primes {
		if i < 8 {
			if want := root(p, 2); initial512[i] != want || initial256[i] != uint32(want>>32) {
				t.Errorf("the initial words %d are %x and %x, want the beginning of %x", i, initial512[i], initial256[i], want)
			}
		}
		want := root(p, 3)
		if key512[i] != want {
			t.Errorf("key512[%d] is %x, want %x", i, key512[i], want)
		}
		if i < 64 && key256[i] != uint32(want>>32) {
			t.Errorf("key256[%d] is %x, want the beginning of %x", i, key256[i], want)
		}
	}
}

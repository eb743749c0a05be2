// A Go program, for the test that Go programs run without the system interface
// that their runtime imports.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"os"
	"sort"
	"strconv"
	"time"
	"unsafe"
)

func main() {}

var buffers [][]byte

//go:wasmexport alloc
func alloc(n int32) int32 {
	b := make([]byte, n+1)
	buffers = append(buffers, b)
	return address(b)
}

func address(b []byte) int32 { return int32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// run hashes its input, and what a map, the sorter, the goroutines, the collector
// and the float functions make of it.
//
//go:wasmexport run
func run(ptr, n int32) int64 {
	in := unsafe.Slice((*byte)(unsafe.Pointer(uintptr(uint32(ptr)))), n)
	counts := map[string]float64{}
	for i := range 5000 {
		key := strconv.Itoa(i * 7919 % 501)
		counts[key] += math.Sin(float64(i)) + math.Sqrt(float64(i))
	}
	keys := make([]string, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	before := time.Now()
	time.Sleep(time.Millisecond) // the clock has to move, or this never returns
	if !time.Now().After(before) {
		panic("time stands still")
	}
	results := make(chan uint64)
	go func() {
		defer close(results)
		for _, k := range keys {
			results <- math.Float64bits(counts[k])
		}
	}()
	h := sha256.New()
	h.Write(in)
	for r := range results {
		h.Write(strconv.AppendUint(nil, r, 16))
	}
	if len(os.Args) == 0 {
		h.Write([]byte("alone"))
	}
	os.Stdout.WriteString("this goes nowhere\n")
	out := []byte(hex.EncodeToString(h.Sum(nil)))
	buffers = append(buffers, out)
	return int64(uint32(address(out)))<<32 | int64(len(out))
}

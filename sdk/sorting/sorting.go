// Package sorting puts lists in order. The standard library's sorts would take 8 KB
// of the module that pages load, and the lists of the core are short.
package sorting

// Slice puts a list in order, given whether one element comes before another.
// Elements that are equal end up in any order, but always in the same one. It is a
// heapsort, so no list makes it slow.
func Slice[T any](list []T, less func(i, j int) bool) {
	heapsort(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] }, less)
}

// Stable is Slice that keeps the order of equal elements. It inserts one by one, for
// lists of a few.
func Stable[T any](list []T, less func(i, j int) bool) {
	for i := range list {
		for j := i; j > 0 && less(j, j-1); j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

func heapsort(n int, swap func(i, j int), less func(i, j int) bool) {
	for i := n/2 - 1; i >= 0; i-- {
		sink(i, n, swap, less)
	}
	for n--; n > 0; n-- {
		swap(0, n)
		sink(0, n, swap, less)
	}
}

// sink moves element i of a heap of n, whose root is the last in order, down to
// where it belongs.
func sink(i, n int, swap func(i, j int), less func(i, j int) bool) {
	for {
		c := 2*i + 1
		if c+1 < n && less(c, c+1) {
			c++
		}
		if c >= n || !less(i, c) {
			return
		}
		swap(i, c)
		i = c
	}
}

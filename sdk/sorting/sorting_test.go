package sorting

import (
	"math/rand"
	"slices"
	"sort"
	"testing"
)

// pair is an element whose first number orders it; the second tells equals apart.
type pair struct{ key, at int }

func random(r *rand.Rand, n, keys int) []pair {
	list := make([]pair, n)
	for i := range list {
		list[i] = pair{r.Intn(keys), i}
	}
	return list
}

func TestListsAreInTheOrderOfTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for n := range 200 {
		for _, keys := range []int{1, 3, 1 << 30} {
			list := random(r, n, keys)
			want := slices.Clone(list)
			sort.SliceStable(want, func(i, j int) bool { return want[i].key < want[j].key })
			less := func(of []pair) func(i, j int) bool { return func(i, j int) bool { return of[i].key < of[j].key } }

			stable := slices.Clone(list)
			Stable(stable, less(stable))
			if !slices.Equal(stable, want) {
				t.Fatalf("Stable gives %v, want %v", stable, want)
			}
			got, again := slices.Clone(list), slices.Clone(list)
			Slice(got, less(got))
			Slice(again, less(again))
			if !slices.Equal(got, again) {
				t.Fatalf("Slice gives %v and then %v", got, again)
			}
			for i := range got {
				if got[i].key != want[i].key {
					t.Fatalf("Slice gives %v, want %v", got, want)
				}
			}
			slices.SortFunc(got, func(a, b pair) int { return a.at - b.at })
			if !slices.Equal(got, list) {
				t.Fatalf("Slice lost elements of %v: %v", list, got)
			}
		}
	}
}

func TestNoListMakesSortingSlow(t *testing.T) {
	const n = 1 << 14
	shapes := map[string]func(i int) int{
		"rising": func(i int) int { return i }, "falling": func(i int) int { return -i },
		"equal": func(int) int { return 0 }, "organ pipes": func(i int) int { return min(i, n-i) },
	}
	for name, shape := range shapes {
		list := make([]int, n)
		for i := range list {
			list[i] = shape(i)
		}
		calls := 0
		Slice(list, func(i, j int) bool {
			calls++
			return list[i] < list[j]
		})
		if !slices.IsSorted(list) {
			t.Errorf("%s: not in order", name)
		}
		if most := 2 * n * 15; calls > most { // two comparisons a level
			t.Errorf("%s: %d comparisons, and %d would do", name, calls, most)
		}
	}
}

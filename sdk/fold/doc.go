// Package fold holds the accumulators that combine results: exact, and the same
// bits for the same items whatever the order, the grain or the shape of the
// tree.
//
// # Kinds
//
//   - moments: per column the exact sums of x, x², x³ and x⁴, the count, the
//     least and the greatest value.
//   - counts: per column how often each distinct value occurs, up to a limit of
//     distinct values.
//   - histogram: per column how many values fall between fixed edges.
//   - table: the cells themselves, by item.
//   - covariance: the exact sums of x_i and of x_i·x_j over all pairs of columns.
//   - quantiles: per column a sketch of relative accuracy, which counts values by
//     buckets that integers bound.
//   - extremes: per column the least and the greatest value and their items.
//   - top, sample: the rows of lowest rank, by a value or by a draw of the item.
//   - sum: per column the sum of fixed-point numbers.
//   - bytes: pieces of bytes, by item.
//
// A sum is an integer of a few thousand bits, so it is exact; adding integers is
// associative and commutative, so order cannot show. Finish combines the
// integers exactly and rounds once.
//
// # Special values
//
// NaN, +Inf and −Inf are counted apart, and n counts them too. In moments any NaN
// makes sum, mean, min and max NaN; otherwise both infinities together make sum
// and mean NaN, and one of them alone is sum and mean. With any of the three, the
// central moments are NaN. min and max order −0 below +0, and a sum of zero is
// +0. In histogram −Inf is under and +Inf over. In counts, −0 and +0 are two
// values. A table keeps every cell, its NaNs in one form, and so do top and sample.
//
// Quantiles and extremes take infinities as values. A NaN makes the figures of its
// column NaN, and top counts rows that it cannot rank for one. In covariance any
// row with a NaN or an infinity makes all figures NaN. With SkipNaN, moments,
// covariance, quantiles and extremes leave NaNs out instead, and n counts the rest.
// A sum refuses what is not finite.
//
// A moment that its formula does not define is NaN: the variance, stddev and
// stderr of fewer than two items, the skewness and kurtosis of equal values, and
// the mean, min and max of no items.
//
// # Canonical bytes
//
// Encode writes one string for one multiset of items, and Restore accepts no
// other. Integers are base-128, least significant group first, in their shortest
// form; doubles are eight bytes, little-endian.
//
//	result    = kind columns items body          kind is one byte, 1 to 11
//	moments   = per column: nan posInf negInf [min max] sum1 sum2 sum3 sum4
//	            min and max are left out if every item is NaN
//	sum k     = 0, or 2·size+sign offset bytes   the sum is ±bytes·256^offset in
//	            units of 2^(−1074k), least significant byte first, first and
//	            last byte not zero; sign 1 is negative
//	counts    = per column: nan posInf negInf distinct (value count)…
//	            values rise in total order
//	histogram = per column: nan under over (count)…
//	table     = ranges (gap length cells)…        gap counts the items left out
//	            since the range before, and is 0 for the first range only
//	covariance = nan infinite sum1 of every column, sum2 of every pair i ≤ j
//	quantiles = per column: nan posInf negInf zeros store store, of the negative
//	            and of the positive values
//	store     = buckets (distance count)…         distance is from the bucket
//	            before, and for the first from 0; no count is 0
//	extremes  = per column: nan [min item max item]   left out if every item is NaN
//	top       = nan (item cells)…                 in order, as many as are kept
//	sample    = 0 (item cells)…
//	sum       = per column 16 bytes, little-endian two's complement
//	bytes     = ranges (gap length (size bytes)…)…
package fold

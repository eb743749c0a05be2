// The loop of mc/pi, native: Philox4x32-10 and a comparison per item. It prints
// the nanoseconds per item of the best of its repetitions, and the mean.
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static double pi(uint32_t k0, uint32_t k1, uint64_t first, uint64_t n) {
	double sum = 0;
	for (uint64_t item = first; item < first + n; item++) {
		uint32_t c0 = 0, c1 = 0, c2 = (uint32_t)item, c3 = (uint32_t)(item >> 32), a = k0, b = k1;
		for (int r = 0; r < 10; r++) {
			uint64_t p = (uint64_t)0xD2511F53u * c0, q = (uint64_t)0xCD9E8D57u * c2;
			c0 = (uint32_t)(q >> 32) ^ c1 ^ a;
			c1 = (uint32_t)q;
			c2 = (uint32_t)(p >> 32) ^ c3 ^ b;
			c3 = (uint32_t)p;
			a += 0x9E3779B9u;
			b += 0xBB67AE85u;
		}
		double x = (double)(((uint64_t)c1 << 32 | c0) >> 11) * 0x1p-53;
		double y = (double)(((uint64_t)c3 << 32 | c2) >> 11) * 0x1p-53;
		sum += x * x + y * y < 1 ? 4 : 0;
	}
	return sum;
}

int main(void) {
	const uint64_t n = 20000000;
	double best = 1e9, sum = 0;
	for (int i = 0; i < 5; i++) {
		struct timespec s, e;
		clock_gettime(CLOCK_MONOTONIC, &s);
		sum = pi(1, 2, 0, n);
		clock_gettime(CLOCK_MONOTONIC, &e);
		double t = ((e.tv_sec - s.tv_sec) * 1e9 + (e.tv_nsec - s.tv_nsec)) / n;
		if (t < best) best = t;
	}
	printf("%.3f %.6f\n", best, sum / n);
	return 0;
}

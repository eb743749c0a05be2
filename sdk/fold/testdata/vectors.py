"""Writes vectors.txt: canonical bytes and digests, computed without the Go code.

Usage: python3 vectors.py > vectors.txt

Each line is KIND COLUMNS OPTIONS FIRST ROWS BYTES DIGEST, fields apart by one
blank; options and rows are C99 hexadecimal floats apart by commas, "-" for none.
The options are a histogram's edges, the accuracy of quantiles, and of top how many
rows, which column and 1 for the least; of sample how many rows and the two words of
the key; of sum the bits. The pieces of bytes are the rows' hexadecimal texts.
"""

import hashlib
import math
import struct
from fractions import Fraction

KINDS = {
    "moments": 1, "counts": 2, "histogram": 3, "table": 4, "covariance": 5, "quantiles": 6, "extremes": 7, "top": 8,
    "sample": 9, "sum": 10, "bytes": 11,
}


def uvarint(n):
    out = b""
    while n > 127:
        out += bytes([n % 128 + 128])
        n //= 128
    return out + bytes([n])


def double(x):
    return struct.pack("<d", x)


def total(x):
    """Sorts doubles by value, -0 before +0."""
    return (x, math.copysign(1, x))


def power_sum(xs, k):
    return exact(sum(Fraction(x) ** k for x in xs) * 2 ** (1074 * k))


def exact(s):
    s = Fraction(s)
    assert s.denominator == 1
    n = abs(s.numerator)
    if n == 0:
        return b"\0"
    raw = n.to_bytes((n.bit_length() + 7) // 8, "little")
    kept = raw.lstrip(b"\0")
    return uvarint(2 * len(kept) + (s < 0)) + uvarint(len(raw) - len(kept)) + kept


def moments(xs):
    ordered = sorted((x for x in xs if x == x), key=total)
    finite = [x for x in xs if math.isfinite(x)]
    out = uvarint(len(xs) - len(ordered)) + uvarint(xs.count(math.inf)) + uvarint(xs.count(-math.inf))
    if ordered:
        out += double(ordered[0]) + double(ordered[-1])
    return out + b"".join(power_sum(finite, k) for k in (1, 2, 3, 4))


def counts(xs):
    finite = [x for x in xs if math.isfinite(x)]
    nan = sum(x != x for x in xs)
    out = uvarint(nan) + uvarint(xs.count(math.inf)) + uvarint(xs.count(-math.inf))
    keys = sorted({double(x) for x in finite}, key=lambda b: total(struct.unpack("<d", b)[0]))
    out += uvarint(len(keys))
    return out + b"".join(k + uvarint(sum(double(x) == k for x in finite)) for k in keys)


def histogram(xs, edges):
    bins = [0] * (len(edges) - 1)
    nan = under = over = 0
    for x in xs:
        if x != x:
            nan += 1
        elif x < edges[0]:
            under += 1
        elif x > edges[-1]:
            over += 1
        else:
            i = max(i for i, e in enumerate(edges) if e <= x)
            bins[min(i, len(bins) - 1)] += 1
    return b"".join(uvarint(n) for n in [nan, under, over] + bins)


def table(rows, first, items):
    cells = b"".join(struct.pack("<Q", 0x7FF8 << 48) if x != x else double(x) for x in rows)
    return uvarint(1) + uvarint(first) + uvarint(items) + cells


def covariance(rows, k):
    items = [rows[i : i + k] for i in range(0, len(rows), k)]
    finite = [row for row in items if all(math.isfinite(x) for x in row)]
    nan = sum(any(x != x for x in row) for row in items)
    out = uvarint(nan) + uvarint(len(items) - nan - len(finite))
    for i in range(k):
        out += power_sum([row[i] for row in finite], 1)
    for i in range(k):
        for j in range(i, k):
            out += exact(sum(Fraction(row[i]) * Fraction(row[j]) for row in finite) * 2**2148)
    return out


def octave_buckets(accuracy):
    return math.ceil((1 / accuracy - 1) / 2)


def store(xs, cuts):
    found = {}
    for x in xs:
        e = math.frexp(x)[1] - 1
        place = (e + 1074) * cuts + math.floor((Fraction(x) / Fraction(2) ** e - 1) * cuts)
        found[place] = found.get(place, 0) + 1
    floor = max(found, default=0) - 64 * cuts + 1
    kept = {}
    for place, n in found.items():
        kept[max(place, floor)] = kept.get(max(place, floor), 0) + n
    out, last = uvarint(len(kept)), 0
    for place in sorted(kept):
        out += uvarint(place - last) + uvarint(kept[place])
        last = place
    return out


def quantiles(xs, accuracy):
    cuts = octave_buckets(accuracy)
    out = b"".join(uvarint(n) for n in (sum(x != x for x in xs), xs.count(INF), xs.count(-INF), xs.count(0)))
    finite = [x for x in xs if math.isfinite(x)]
    return out + store([-x for x in finite if x < 0], cuts) + store([x for x in finite if x > 0], cuts)


def extremes(xs, first):
    numbers = [(total(x), first + i, x) for i, x in enumerate(xs) if x == x]
    out = uvarint(len(xs) - len(numbers))
    for wanted in (min, max) if numbers else ():
        value = wanted(t for t, _, _ in numbers)
        item, x = next((i, x) for t, i, x in numbers if t == value)
        out += double(x) + uvarint(item)
    return out


def cells(row):
    return b"".join(struct.pack("<Q", 0x7FF8 << 48) if x != x else double(x) for x in row)


def top(rows, k, first, keep, by, least):
    items = [(first + i // k, rows[i : i + k]) for i in range(0, len(rows), k)]
    ranked = [(item, row) for item, row in items if row[int(by)] == row[int(by)]]
    ranked.sort(key=lambda e: total(e[1][int(by)]), reverse=not least)  # stable, so lower items first
    out = uvarint(len(items) - len(ranked))
    return out + b"".join(uvarint(item) + cells(row) for item, row in ranked[: int(keep)])


def philox(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [q >> 32 ^ c[1] ^ k[0], q & 0xFFFFFFFF, p >> 32 ^ c[3] ^ k[1], p & 0xFFFFFFFF]
        k = [k[0] + 0x9E3779B9 & 0xFFFFFFFF, k[1] + 0xBB67AE85 & 0xFFFFFFFF]
    return c


def sample(rows, k, first, keep, key):
    def draw(item):
        words = philox((0, 0, item & 0xFFFFFFFF, item >> 32), key)
        return words[1] << 32 | words[0]

    items = sorted((draw(first + i // k), first + i // k, rows[i : i + k]) for i in range(0, len(rows), k))
    return uvarint(0) + b"".join(uvarint(item) + cells(row) for _, item, row in items[: int(keep)])


def fixed(xs, bits):
    return sum(round(Fraction(x) * 2 ** int(bits)) for x in xs).to_bytes(16, "little", signed=True)


def pieces(rows, first):
    out = uvarint(1) + uvarint(first) + uvarint(len(rows))
    return out + b"".join(uvarint(len(x.hex())) + x.hex().encode() for x in rows)


def digest(kind, columns, options, encoded):
    edges = options if kind == "histogram" else ()
    shape = uvarint(len(kind)) + kind.encode() + uvarint(columns)
    shape += uvarint(len(edges)) + b"".join(double(e) for e in edges)
    shape += uvarint(4096 if kind == "counts" else 0)
    if kind == "quantiles":
        shape += uvarint(octave_buckets(options[0]))
    if kind in ("top", "sum"):
        shape += b"".join(uvarint(int(o)) for o in options)
    if kind == "sample":
        shape += uvarint(int(options[0])) + b"".join(struct.pack("<I", int(o)) for o in options[1:])
    return hashlib.sha256(b"shoal-result/1\0" + shape + encoded).hexdigest()


def floats(xs):
    return ",".join(x.hex() for x in xs) or "-"


def line(kind, columns, first, rows, options=()):
    items = len(rows) // columns
    by_column = [rows[c::columns] for c in range(columns)]
    encoded = bytes([KINDS[kind]]) + uvarint(columns) + uvarint(items)
    if kind == "table":
        encoded += table(rows, first, items)
    elif kind == "covariance":
        encoded += covariance(rows, columns)
    elif kind == "top":
        encoded += top(rows, columns, first, *options)
    elif kind == "sample":
        encoded += sample(rows, columns, first, options[0], [int(o) for o in options[1:]])
    elif kind == "bytes":
        encoded += pieces(rows, first)
    else:
        of = {
            "moments": moments, "counts": counts, "histogram": lambda xs: histogram(xs, options),
            "quantiles": lambda xs: quantiles(xs, options[0]), "extremes": lambda xs: extremes(xs, first),
            "sum": lambda xs: fixed(xs, options[0]),
        }[kind]
        encoded += b"".join(of(xs) for xs in by_column)
    print(kind, columns, floats(options), first, floats(rows), encoded.hex(), digest(kind, columns, options, encoded))


NAN, INF = math.nan, math.inf
ORDINARY = [1.0, 2.0, 3.0, 4.0]
DECIMALS = [0.1, -0.1, 299.85, -1e100, 1e-100, 12345.6789]
SPECIALS = [NAN, INF, -INF, -0.0, 0.0, 5e-324, -2.2250738585072009e-308, 1.7976931348623157e308]
CANCEL = [1e16, 1.0, -1e16, -1.0]

for data in (ORDINARY, DECIMALS, SPECIALS, CANCEL, [0.0], [-0.0], [NAN, NAN], [INF], [-1.7976931348623157e308] * 300):
    line("moments", 1, 0, data)
    line("counts", 1, 0, data)
    line("histogram", 1, 0, data, (-2.0, 0.0, 0.1, 1.0, 4.0, 1e16))
    line("table", 1, 0, data)
line("moments", 2, 0, DECIMALS + SPECIALS)
line("counts", 2, 0, DECIMALS + SPECIALS)
line("histogram", 2, 0, DECIMALS + SPECIALS, (0.0, 1.0))
line("table", 2, 1000000, DECIMALS + SPECIALS)

TIES = [2.0, 1.0, 3.0, 1.0, 3.0, 2.5]
for data in (ORDINARY, DECIMALS, SPECIALS, CANCEL, TIES, [NAN, NAN], [-1.7976931348623157e308] * 300):
    line("covariance", 2, 0, data)
    line("quantiles", 1, 0, data, (0.01,))
    line("extremes", 1, 70, data)
    line("top", 1, 70, data, (3.0, 0.0, 0.0))
    line("top", 2, 70, data, (2.0, 1.0, 1.0))
    line("sample", 1, 1 << 40, data, (3.0, 305419896.0, 4275878552.0))
    line("bytes", 1, 70, data)
line("covariance", 1, 0, DECIMALS)
line("quantiles", 2, 0, DECIMALS + SPECIALS, (0.25,))
line("extremes", 2, 0, DECIMALS + SPECIALS)
line("sample", 2, 0, DECIMALS + SPECIALS, (100.0, 0.0, 1.0))
line("sum", 1, 0, ORDINARY, (39.0,))
line("sum", 1, 0, [0.1, -0.3, 1e-9, 5e-324], (39.0,))
line("sum", 2, 0, [0.5, 1.5, 2.5, -0.5, -1.5, -2.5], (0.0,))
line("sum", 1, 0, [0.9999999999999999, -1.0] * 3, (62.0,))

"""Writes vectors.txt: canonical bytes and digests, computed without the Go code.

Usage: python3 vectors.py > vectors.txt

Each line is KIND COLUMNS EDGES FIRST ROWS BYTES DIGEST, fields apart by one
blank; edges and rows are C99 hexadecimal floats apart by commas, "-" for none.
"""

import hashlib
import math
import struct
from fractions import Fraction

KINDS = {"moments": 1, "counts": 2, "histogram": 3, "table": 4}


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
    s = sum(Fraction(x) ** k for x in xs) * 2 ** (1074 * k)
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


def digest(kind, columns, edges, encoded):
    shape = uvarint(len(kind)) + kind.encode() + uvarint(columns)
    shape += uvarint(len(edges)) + b"".join(double(e) for e in edges)
    shape += uvarint(4096 if kind == "counts" else 0)
    return hashlib.sha256(b"shoal-result/1\0" + shape + encoded).hexdigest()


def floats(xs):
    return ",".join(x.hex() for x in xs) or "-"


def line(kind, columns, first, rows, edges=()):
    items = len(rows) // columns
    encoded = bytes([KINDS[kind]]) + uvarint(columns) + uvarint(items)
    if kind == "table":
        encoded += table(rows, first, items)
    else:
        for c in range(columns):
            xs = rows[c::columns]
            if kind == "histogram":
                encoded += histogram(xs, edges)
            else:
                encoded += {"moments": moments, "counts": counts}[kind](xs)
    print(kind, columns, floats(edges), first, floats(rows), encoded.hex(), digest(kind, columns, edges, encoded))


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

"""Writes vectors.txt: draws of a few works, computed without the Go code.

Usage: python3 vectors.py > vectors.txt

Lines, fields apart by one blank:
  key   TAG WORK STREAM K0 K1
  draw  TAG WORK STREAM ITEM DRAW U64 UNIT OPEN NORMAL
Words are hexadecimal, UNIT and OPEN are C99 hexadecimal floats and exact, NORMAL
comes from this library's own quantile and is right to a few units in the last
place.
"""

import hashlib
import struct
from statistics import NormalDist

TAGS = ("shoal-rng/1", "pool-rng/v1")
WORKS = (
    bytes(32),
    bytes(range(32)),
    bytes([255] * 32),
    hashlib.sha256(b"a work").digest(),
)
STREAMS = (0, 1, 2, 9, 256, 0xFFFFFFFF)
PLACES = (
    (0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (7, 5),
    (0xFFFFFFFF, 0), (0x100000000, 0), (0x123456789ABCDEF0, 0x1FFFFFFFF),
    (0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF),
)


def philox(counter, key):
    """Ten rounds on lists of four and two 32-bit words."""
    x, k = list(counter), list(key)
    for _ in range(10):
        a = 0xD2511F53 * x[0]
        b = 0xCD9E8D57 * x[2]
        x = [
            (b >> 32) ^ x[1] ^ k[0],
            b % 2**32,
            (a >> 32) ^ x[3] ^ k[1],
            a % 2**32,
        ]
        k = [(k[0] + 0x9E3779B9) % 2**32, (k[1] + 0xBB67AE85) % 2**32]
    return x


def key(tag, work, stream):
    digest = hashlib.sha256(tag.encode() + b"\0" + work + struct.pack("<I", stream)).digest()
    return struct.unpack("<II", digest[:8])


def draw(k, item, number):
    block = number // 2
    w = philox((block % 2**32, block >> 32, item % 2**32, item >> 32), k)
    low, high = (w[0], w[1]) if number % 2 == 0 else (w[2], w[3])
    return high << 32 | low


for tag in TAGS:
    for work in WORKS:
        for stream in STREAMS:
            k = key(tag, work, stream)
            print("key", tag, work.hex(), stream, "%08x %08x" % k)
            for item, number in PLACES:
                u = draw(k, item, number)
                opened = ((u >> 12) + 0.5) * 2.0**-52
                print(
                    "draw", tag, work.hex(), stream, item, number, "%016x" % u,
                    ((u >> 11) * 2.0**-53).hex(), opened.hex(),
                    repr(NormalDist().inv_cdf(opened)),
                )

"""Derives ids.txt without any code of Shoal: python3 ids.py > ids.txt

Manifests are written out by hand as they have to come out of the job files in
ids_test.go, encoded as deterministic CBOR (RFC 8949, section 4.2.1) and hashed.
"""

import hashlib
import struct


def head(major, n):
    for size, info, form in ((24, None, None), (1 << 8, 24, ">B"), (1 << 16, 25, ">H"), (1 << 32, 26, ">I"), (1 << 64, 27, ">Q")):
        if n < size:
            return bytes([major << 5 | (n if info is None else info)]) + (b"" if form is None else struct.pack(form, n))
    raise ValueError(n)


def cbor(v):
    if isinstance(v, bool):
        return b"\xf5" if v else b"\xf4"
    if isinstance(v, int):
        return head(0, v)
    if isinstance(v, float):
        return head(2, 8) + struct.pack(">d", v)
    if isinstance(v, bytes):
        return head(2, len(v)) + v
    if isinstance(v, str):
        return head(3, len(v.encode())) + v.encode()
    if isinstance(v, list):
        return head(4, len(v)) + b"".join(cbor(x) for x in v)
    if isinstance(v, dict):
        pairs = sorted((cbor(k), cbor(x)) for k, x in v.items())
        return head(5, len(v)) + b"".join(k + x for k, x in pairs)
    raise TypeError(v)


def digest(tag, data=b""):
    return hashlib.sha256(tag.encode() + b"\0" + data).digest()


ENGINE = digest("test/engine")
OWNER = digest("test/owner")
ORACLE = digest("test/oracle")
MODULE = digest("shoal-program/1", b"\0asm\1\0\0\0")
CSV = b'x,y,note\n1,2,a\n3,4,"b,""c"""\n'


def manifest(work, combine, grain=0, runItems=4096, gas=1_000_000_000, policy=None):
    w = {"engine": ENGINE, "program": MODULE, "outputs": 1, "pages": 1024, "params": [], "seed": 0}
    w.update(work)
    return {
        "v": 1, "work": w, "grain": grain, "runItems": runItems, "gas": gas, "combine": combine,
        "policy": policy or {"copies": 1}, "owner": OWNER,
    }


def axis(name, start, end, count, **values):
    return {"name": name, "from": start, "to": end, "count": count, **values}


# Rows, fields, end, span, entries; then row and offset of the one entry.
INDEX = digest("shoal-index/1", struct.pack(">7Q", 2, 3, len(CSV), 65536, 1, 0, 9))

JOBS = {
    "range": manifest({"split": [1, {"items": 20000}], "seed": 7}, {"kind": "moments"}),
    "seed": manifest({"split": [1, {"items": 20000}], "seed": 2**64 - 1}, {"kind": "moments"}, grain=500),
    "grid": manifest(
        {
            "split": [2, {"axes": [
                axis("B", 0.1, 1.0, 100), axis("a", 0.0, 0.0, 3, values=[1.0, -0.0, 5e-324]), axis("ü", 2.0, 2.0, 1),
            ]}],
            "params": [{"name": "k", "value": 1e300}, {"name": "n", "value": -2.5}],
            "outputs": 2, "pages": 32 * 16,
        },
        {"kind": "histogram", "edges": [-1.0, 0.0, 0.1]}, runItems=10, gas=10**9,
        policy={"copies": 2, "oracles": [ORACLE]},
    ),
    "records": manifest(
        {"split": [3, {
            "object": digest("shoal-object/1", CSV), "size": len(CSV), "index": INDEX, "rows": 2, "format": "csv",
            "header": True, "delimiter": 44, "quote": 34, "columns": [1, 0], "names": ["y", "x"],
        }]},
        {"kind": "table"},
    ),
}

print("# name work job, from ids.py")
for name, m in JOBS.items():
    print(name, digest("shoal-work/1", cbor(m["work"])).hex(), digest("shoal-job/1", cbor(m)).hex())

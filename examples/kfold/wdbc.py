"""Reads the table as scikit-learn has it from standard input and writes a CSV
file with a header.

The numbers are copied as they are written. The label of the package, 1 for
benign, is turned around, so that 1 stands for what a test looks for: malignant.
"""

import sys

features = [
    "radius", "texture", "perimeter", "area", "smoothness", "compactness",
    "concavity", "concave_points", "symmetry", "fractal_dimension",
]
header = [f + "_" + kind for kind in ("mean", "se", "worst") for f in features]
lines = sys.stdin.read().split("\n")
if lines[0] != "569,30,malignant,benign":
    sys.exit("another table: %r" % lines[0])
out = [",".join(header + ["malignant"])]
for line in lines[1:570]:
    fields = line.strip().split(",")
    if len(fields) != 31 or fields[30] not in ("0", "1"):
        sys.exit("a row without 30 numbers and a label: %r" % line)
    out.append(",".join(fields[:30] + [str(1 - int(fields[30]))]))
sys.stdout.write("\n".join(out) + "\n")

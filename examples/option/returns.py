"""Reads daily values of the S&P 500 from standard input and writes those of 2019
as CSV: the date, the close, and the logarithm of the close over the one before,
rounded to nine decimals so that no machine's library can show.
"""

import csv
import math
import sys

print("date,close,return")
before = None
for row in csv.DictReader(sys.stdin):
    close = float(row["close"])
    if row["date"].startswith("2019-"):
        print("%s,%.2f,%.9f" % (row["date"], close, math.log(close / before)))
    before = close

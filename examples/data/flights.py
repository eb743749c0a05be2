"""Reads the JSON of flights from standard input and writes two columns as CSV.

Every record is one flight: the delay of its arrival in minutes, negative when it
was early, and the distance in miles. Both are integers.
"""

import json
import sys

flights = json.load(sys.stdin)
lines = ["delay,distance"]
for flight in flights:
    delay, distance = flight["delay"], flight["distance"]
    if not isinstance(delay, int) or not isinstance(distance, int):
        sys.exit("a flight without two integers: %r" % flight)
    lines.append("%d,%d" % (delay, distance))
sys.stdout.write("\n".join(lines) + "\n")

#!/bin/sh
# Makes flights.csv from the package that carries the data set, and checks that it
# is the file that the tests know. Needs npm, tar, python3 and sha256sum.
set -eu

package=vega-datasets
version=3.2.1
want=5d9d449780af0c57bc701e0a2487f1fa0812ef30b041e7c2b0130de39a26afc8

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm pack --silent "$package@$version" >/dev/null
tar -xzf "$package-$version.tgz" package/data/flights-200k.json
python3 "$here/flights.py" <package/data/flights-200k.json >flights.csv
echo "$want  flights.csv" | sha256sum -c -
mv flights.csv "$here/flights.csv"

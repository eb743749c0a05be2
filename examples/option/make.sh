#!/bin/sh
# Makes sp500-2019.csv from the package that carries the data set, and checks that
# it is the file that the tests know. Needs npm, tar, python3 and sha256sum.
set -eu

package=vega-datasets
version=3.2.1
want=145b6ecc92656439a4dc34fd1f9bb85bbe2931f403d09a38f01a60f747a1e2f0

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
npm pack --silent "$package@$version" >/dev/null
tar -xzf "$package-$version.tgz" package/data/sp500-2000.csv
python3 "$here/returns.py" <package/data/sp500-2000.csv >sp500-2019.csv
echo "$want  sp500-2019.csv" | sha256sum -c -
mv sp500-2019.csv "$here/sp500-2019.csv"

#!/bin/sh
# Makes wdbc.csv from the Debian package that carries the data set, and checks
# that it is the file that the tests know. Needs apt-get, dpkg, python3 and
# sha256sum, and changes nothing else on the machine.
set -eu

package=python3-sklearn
version=1.2.1+dfsg-1
want=3df6821a97b59154efb1f79fbd20883f99751d5c12b381d2d1ca045061ab5db0

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

cd "$work"
apt-get download "$package=$version"
dpkg -x "${package}_${version}_all.deb" .
python3 "$here/wdbc.py" <usr/lib/python3/dist-packages/sklearn/datasets/data/breast_cancer.csv >wdbc.csv
echo "$want  wdbc.csv" | sha256sum -c -
mv wdbc.csv "$here/wdbc.csv"

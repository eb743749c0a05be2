#!/bin/sh
# Makes opticks.txt and lambda.fa, and checks that they are the files that the
# tests know. Needs go (which carries the first text), apt-get, dpkg, gzip and
# sha256sum, and changes nothing else on the machine.
set -eu

package=bowtie2-examples
version=2.5.0-3
text=d4a9ac22462b35e7821a4f2706c211093da678620a8f9997989ee7cf8d507bbd
genome=0a04f81952deb68c204e8ae67e0573cb97d348f18ab1b527630d57c294028cf5

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

cd "$work"
cat "$(go env GOROOT)/src/testdata/Isaac.Newton-Opticks.txt" >opticks.txt
apt-get download "$package=$version"
dpkg -x "${package}_${version}_all.deb" .
gzip -dc usr/share/doc/bowtie2/examples/reference/lambda_virus.fa.gz >lambda.fa
sha256sum -c - <<END
$text  opticks.txt
$genome  lambda.fa
END
mv opticks.txt lambda.fa "$here"

#!/bin/sh
# Builds the probes of the helpers into DIR (default: here).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here}
out=$(cd "$out" && pwd)

(cd "$here/.." && node_modules/.bin/asc testdata/probe.ts --outFile "$out/probe-as.wasm" \
  -O3 --converge --noAssert --runtime stub --use abort= --initialMemory 1)

object=$(mktemp)
trap 'rm -f "$object"' EXIT
clang-19 --target=wasm32 -O2 -std=c17 -Wall -Wextra -Werror -ffreestanding -nostdlib -mbulk-memory \
  -ffp-contract=off -I "$here/../abi" -c "$here/probe.c" -o "$object"
wasm-ld-19 --no-entry --stack-first -z stack-size=16384 --gc-sections --strip-all \
  "$object" -o "$out/probe-c.wasm"
chmod 644 "$out/probe-c.wasm"

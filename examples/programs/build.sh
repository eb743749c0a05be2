#!/bin/sh
# Builds the example programs into DIR (default: beside their sources). It needs
# clang 19, wasm-ld 19, and `npm ci` in wasm/programs.
#
#   examples/programs/build.sh [DIR]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
programs="$here/../../wasm/programs"
out=${1:-$here}
mkdir -p "$out/as" "$out/c"
out=$(cd "$out" && pwd)

for name in birthday mandelbrot; do
  (cd "$programs" && node_modules/.bin/asc "../../examples/programs/as/$name.ts" \
    --outFile "$out/as/$name.wasm" \
    -O3 --converge --noAssert --runtime stub --use abort= --initialMemory 1)
done

object=$(mktemp)
trap 'rm -f "$object"' EXIT
for name in collatz walk; do
  clang-19 --target=wasm32 -O2 -std=c17 -Wall -Wextra -Werror -ffreestanding -nostdlib -mbulk-memory \
    -ffp-contract=off -I "$programs/abi" -c "$here/c/$name.c" -o "$object"
  wasm-ld-19 --no-entry --stack-first -z stack-size=16384 --gc-sections --strip-all \
    "$object" -o "$out/c/$name.wasm"
  chmod 644 "$out/c/$name.wasm"
done

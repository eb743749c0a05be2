#!/bin/sh
# Builds the example programs into DIR (default: beside their sources). It needs
# clang 19, wasm-ld 19, `npm ci` in wasm/programs, a rustc with the target
# wasm32-unknown-unknown, and Go.
#
#   examples/programs/build.sh [DIR]
#
# RUSTC names another rustc than Debian's, and RUST_LD another linker for it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
programs="$here/../../wasm/programs"
out=${1:-$here}
mkdir -p "$out/as" "$out/c" "$out/rust" "$out/go"
out=$(cd "$out" && pwd)

for name in birthday complement darts halton mandelbrot norm; do
  (cd "$programs" && node_modules/.bin/asc "../../examples/programs/as/$name.ts" \
    --outFile "$out/as/$name.wasm" \
    -O3 --converge --noAssert --runtime stub --use abort= --initialMemory 1)
done

object=$(mktemp)
trap 'rm -f "$object"' EXIT
for name in collatz darts norm streak walk; do
  clang-19 --target=wasm32 -O2 -std=c17 -Wall -Wextra -Werror -ffreestanding -nostdlib -mbulk-memory \
    -ffp-contract=off -I "$programs/abi" -c "$here/c/$name.c" -o "$object"
  wasm-ld-19 --no-entry --stack-first -z stack-size=16384 --gc-sections --strip-all \
    "$object" -o "$out/c/$name.wasm"
  chmod 644 "$out/c/$name.wasm"
done

for name in darts norm quartiles; do
  "${RUSTC:-/usr/bin/rustc}" --edition 2021 --crate-type cdylib --target wasm32-unknown-unknown \
    -C opt-level=3 -C panic=abort -C lto -C strip=symbols \
    -C linker="${RUST_LD:-wasm-ld-14}" -C link-arg=-zstack-size=65536 \
    --remap-path-prefix "$here=examples" "$here/rust/$name.rs" -o "$out/rust/$name.wasm"
  chmod 644 "$out/rust/$name.wasm"
done

# A Go program has the Go runtime in it: these are not committed.
for name in darts norm; do
  (cd "$here/go/$name" && GOOS=wasip1 GOARCH=wasm go build -trimpath -buildmode=c-shared -ldflags=-s \
    -o "$out/go/$name.wasm" .)
done

#!/usr/bin/env bash
# Builds the page into a folder: build.sh FOLDER. The SDK must have been built (make build).
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:?name a folder}
mkdir -p "$out/sdk"
cp examples/goweb/index.html "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$out"
cp js/dist/*.js js/dist/peer.wasm "$out/sdk"
GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' -o "$out/main.wasm" ./examples/goweb

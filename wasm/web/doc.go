// Package web lets a Go program that runs in a page (GOOS=js GOARCH=wasm) use
// the JavaScript SDK: run a job on this device, found or join a pool, run there.
// It is a binding and no peer: what computes is the SDK's own module, in its
// workers, so the Go program can be as large as it likes and is never sent to
// another device. Exceptions come back as errors, refusals as *diag.Refusal.
//
// The page hands the SDK over before it starts the Go program:
//
//	<script type="module">
//	  import * as shoal from './sdk/index.js';
//	  globalThis.shoal = shoal;
//	  const go = new Go();
//	  const { instance } = await WebAssembly.instantiateStreaming(fetch('main.wasm'), go.importObject);
//	  go.run(instance);
//	</script>
//
// Calls that wait must not be made from inside a callback of the page: start a
// goroutine there, as with every blocking call in such programs.
package web

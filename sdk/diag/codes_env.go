package diag

// envCodes are the refusals of the JavaScript host: the page, the browser, Node.
// js/src/codes.ts holds the same rows, and a test there compares them.
var envCodes = []Code{
	{"env/no-wasm", "this engine has no WebAssembly", "use a current browser, or take the device out of lockdown mode for this site"},
	{"env/csp-wasm", "the page forbids WebAssembly", "add 'wasm-unsafe-eval' to script-src with the page and with worker.js: Content-Security-Policy: script-src 'self' 'wasm-unsafe-eval'"},
	{"env/module-missing", "the engine module could not be fetched", "serve peer.wasm beside the script, or name the folder that holds it with the option assets"},
	{"env/module-html", "the server sent a web page in place of the engine module", "copy peer.wasm to where the script looks for it, or name the folder that holds it with the option assets"},
	{"env/module-broken", "the engine module is damaged", "copy peer.wasm again from the package, and clear caches between the server and here"},
	{"env/module-mismatch", "script and engine module are of different releases", "deploy all files of one package together, and reload the page"},
	{"env/worker-start", "no worker could be started", "serve worker.js beside the script, and allow workers in the page's Content-Security-Policy: worker-src 'self' blob:"},
	{"env/engine-lost", "the engine stopped", "start the run again; if it stays, report it with the text above"},
	{"env/no-entropy", "there is no source of random bytes", "use a current browser or Node 20"},
	{"env/no-websocket", "this engine has no WebSocket", "use a browser, or Node 22 or later"},
	{"env/input", "a file of the job could not be read", "choose the file again, or check the address and that its server lets this page read it"},
	{"env/file-name", "the job names a file that cannot be opened here", "give a File, a Blob, a Uint8Array, a URL or a Response, or the text itself"},
	{"env/option", "an option of the call is not usable", "give a value of the kind that is named"},
}

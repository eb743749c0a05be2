// Executes a batch of tasks in one compute worker of the SDK, the file that
// ships, and returns the answers. It runs in pages and in Node.
//
// A batch is a list of programs and a list of tasks: each list a count, each
// entry the program's 32-byte name, a length and that many bytes. Answers are
// each a length and that many bytes. All numbers are u32, little-endian.

const NAME = 32;

const hex = (b) => Array.from(b, (x) => x.toString(16).padStart(2, '0')).join('');

/** Reads a batch into lists of [name, bytes]. */
function read(batch) {
  const view = new DataView(batch);
  let at = 0;
  const u32 = () => {
    at += 4;
    return view.getUint32(at - 4, true);
  };
  const bytes = (n) => {
    at += n;
    return new Uint8Array(batch.slice(at - n, at));
  };
  const list = () => Array.from({ length: u32() }, () => [hex(bytes(NAME)), bytes(u32())]);
  return { programs: list(), tasks: list() };
}

/** Writes answers behind each other. */
function write(answers) {
  const out = new Uint8Array(answers.reduce((n, a) => n + 4 + a.length, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const a of answers) {
    view.setUint32(at, a.length, true);
    out.set(a, at + 4);
    at += 4 + a.length;
  }
  return out;
}

/**
 * @param start starts a worker; it is given what takes the worker's messages and
 * what takes its failure, and returns the worker's postMessage
 * @param peer the engine module's bytes
 * @param batch an ArrayBuffer
 */
export async function execute(start, peer, batch) {
  const { programs, tasks } = read(batch);
  const module = await WebAssembly.compile(peer);
  const compiled = [];
  for (const [name, bytes] of programs) compiled.push([name, await WebAssembly.compile(bytes)]);

  let fail;
  const failed = new Promise((_, reject) => {
    fail = (why) => reject(new Error(String(why)));
  });
  let take = () => {};
  const post = start(
    (m) => (m.t === 'failed' ? fail(m.why) : take(m)),
    (e) => fail(e?.message || 'the worker failed'),
  );
  const next = () =>
    Promise.race([
      failed,
      new Promise((resolve) => {
        take = resolve;
      }),
    ]);

  const { port1, port2 } = new MessageChannel();
  let answered = () => {};
  port1.onmessage = ({ data }) => ('answer' in data ? answered(data.answer) : fail(data.lost));
  let ready = next();
  post({ t: 'ping' });
  await ready;
  ready = next();
  post({ t: 'compute', module, programs: compiled, port: port2 }, [port2]);
  await ready;

  const answers = [];
  for (const [program, task] of tasks) {
    const answer = new Promise((resolve) => {
      answered = resolve;
    });
    port1.postMessage({ programs: [program], task }, [task.buffer]);
    answers.push(await Promise.race([failed, answer]));
  }
  port1.close();
  return write(answers);
}

/** In a page: fetches the batch, executes it and hands the answers back. */
export async function inPage() {
  const bytes = async (url) => (await fetch(url)).arrayBuffer();
  let worker;
  const start = (onmessage, onerror) => {
    worker = new Worker('/sdk/worker.js', { type: 'module' });
    worker.onmessage = ({ data }) => onmessage(data);
    worker.onerror = onerror;
    return (m, transfer) => worker.postMessage(m, transfer ?? []);
  };
  try {
    const answers = await execute(start, await bytes('/sdk/peer.wasm'), await bytes('/test/batch'));
    const { ok, status } = await fetch('/test/answers', { method: 'POST', body: answers });
    if (!ok) throw new Error(`the answers were not taken: ${status}`);
  } finally {
    worker?.terminate();
  }
}

// Answers {module} with the result of its export, and {url} with what a fetch gives.
console.log('worker has started');
let ticks = 0;
setInterval(() => ticks++, 20);
onmessage = async ({data}) => {
  if (data.module) postMessage((await WebAssembly.instantiate(data.module)).exports.add(40, 2));
  else if (data.url) postMessage(await fetch(data.url, {cache: 'no-store'}).then((r) => r.status, () => 'failed'));
  else postMessage(ticks);
};

// The engine, off the page's thread: CPython as one WebAssembly file, and a file system that lives in memory.
// It speaks with engine.js alone. Another engine takes its place by answering the same messages.
import { WASI, File, OpenFile, PreopenDirectory, Directory, Fd, wasi as system } from "./engine/shim/index.js";

const LIBRARY = "/usr/local/lib/python315.zip"; // where the engine looks for its library
const here = new URL(".", import.meta.url);
const folder = (entries = []) => new Directory(new Map(entries));
let exported; // functions and memory of the engine
let root; // the file system from "/" on, as Maps of Directory and File

// A stream that the engine writes to: a terminal, so that nothing is held back.
class Terminal extends Fd {
  constructor(take) { super(); this.take = take; this.text = new TextDecoder(); }
  fd_filestat_get() { return { ret: 0, filestat: new system.Filestat(0n, system.FILETYPE_CHARACTER_DEVICE, 0n) }; }
  fd_fdstat_get() {
    const fdstat = new system.Fdstat(system.FILETYPE_CHARACTER_DEVICE, 0);
    fdstat.fs_rights_base = BigInt(system.RIGHTS_FD_WRITE);
    return { ret: 0, fdstat };
  }
  fd_write(data) { this.take(this.text.decode(data, { stream: true })); return { ret: 0, nwritten: data.byteLength }; }
}

// kernel.py puts what is more than text (tables, figures, errors) between two marks, as JSON.
const MARK = "\x1e";
let held = null; // the part of such a piece that has come
function takeOutput(text) {
  text.split(MARK).forEach((piece, number) => {
    if (number > 0) {
      if (held === null) held = "";
      else { postMessage({ output: JSON.parse(held) }); held = null; }
    }
    if (held !== null) held += piece;
    else if (piece) postMessage({ output: { stream: piece } });
  });
}

// A part of the engine: from the browser's cache if it is there, else downloaded, counted and checked.
async function part(name, { bytes, sha256 }) {
  const url = new URL(`engine/${name}?${sha256.slice(0, 12)}`, here);
  const cache = await caches.open("honest-live").catch(() => null); // private windows may have none
  const kept = await cache?.match(url);
  if (kept) return new Uint8Array(await kept.arrayBuffer());
  const answer = await fetch(url, { cache: "no-store" });
  if (!answer.ok) throw new Error(`The download of ${name} failed (the server says ${answer.status}). Try again.`);
  const data = new Uint8Array(bytes);
  let got = 0;
  const broken = () => new Error(`The download of ${name} broke off after ${got} of ${bytes} bytes. Try again.`);
  try {
    for await (const chunk of pieces(answer.body)) {
      if (got + chunk.length <= bytes) data.set(chunk, got);
      got += chunk.length;
      postMessage({ progress: { name, bytes: chunk.length } });
    }
  } catch { throw broken(); }
  if (got !== bytes) throw broken();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  if ([...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("") !== sha256) {
    throw new Error(`What arrived as ${name} is not the file that was built. Reload the page, and try again.`);
  }
  await cache?.put(url, new Response(data)).catch(() => null); // a full disk keeps nothing
  return data;
}

async function* pieces(stream) { // Safari's streams cannot be looped over
  const reader = stream.getReader();
  for (let step; !(step = await reader.read()).done;) yield step.value;
}

async function start() {
  const answer = await fetch(new URL("parts.json", here), { cache: "no-cache" });
  if (!answer.ok) throw new Error("This copy of the site has no live part: make live builds it.");
  const list = await answer.json();
  postMessage({ total: Object.values(list).reduce((sum, one) => sum + one.bytes, 0) });
  const kernel = await (await fetch(new URL("kernel.py", here), { cache: "no-cache" })).text();
  const names = Object.keys(list);
  const data = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await part(name, list[name])])));
  postMessage({ state: "Starting Python" });
  const unpacked = new Blob([data["python.wasm.gz"]]).stream().pipeThrough(new DecompressionStream("gzip"));
  const type = { headers: { "Content-Type": "application/wasm" } };
  const module = await WebAssembly.compileStreaming(new Response(unpacked, type));
  delete data["python.wasm.gz"];
  root = new Map([
    ["tmp", folder()], ["home", folder()], ["work", folder()],
    ["app", folder([["package.zip", new File(data["package.zip"])], ["figures.zip", new File(data["figures.zip"])]])],
    ["usr", folder([["local", folder([["lib", folder()]])]])],
  ]);
  const streams = [new OpenFile(new File([])), new Terminal(takeOutput), new Terminal((text) => postMessage({ output: { log: text } }))];
  const folders = [
    new PreopenDirectory("/usr/local/lib", new Map([["python315.zip", new File(data["library.zip"])]])),
    new PreopenDirectory(`${LIBRARY}/matplotlib/mpl-data`, new Map()), // kernel.py puts the fonts there
    new PreopenDirectory("/", root),
  ];
  const settings = ["HOME=/home", "TMPDIR=/tmp", "PYTHONTZPATH=", "MPLBACKEND=agg", "MPLCONFIGDIR=/home/figures"];
  settings.push("OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "HONEST_DATA=/app/fetched");
  const calls = new WASI(["/usr/local/bin/python.wasm"], settings, [...streams, ...folders], { debug: false });
  const imports = { wasi_snapshot_preview1: calls.wasiImport, host: { call: () => -1 } };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === "wasi_snapshot_preview1") imports[from][name] ??= () => system.ERRNO_NOSYS;
  }
  const instance = await WebAssembly.instantiate(module, imports);
  calls.inst = instance;
  exported = instance.exports;
  exported._initialize?.();
  run(kernel);
}

// One turn of the interpreter. Errors of a cell are caught in kernel.py; what arrives here is the end of the engine.
function run(code) {
  const bytes = new TextEncoder().encode(code);
  const place = exported.host_alloc(bytes.length) >>> 0;
  new Uint8Array(exported.memory.buffer).set(bytes, place);
  if (exported.turn(place, bytes.length) !== 0) throw new Error("Python has stopped.");
}

// The Map that holds a file, and its name; folders that are missing are made.
function find(path) {
  const names = path.split("/").filter(Boolean);
  const name = names.pop();
  let at = root;
  for (const part of names) {
    if (!at.has(part)) at.set(part, folder());
    at = at.get(part).contents;
  }
  return [at, name];
}

const tasks = {
  start,
  run_cell: ({ source }) => run(`run_cell(${JSON.stringify(source)})`),
  write: ({ path, data }) => { const [at, name] = find(path); at.set(name, new File(data)); },
  read: ({ path }) => {
    const [at, name] = find(path);
    const entry = at.get(name);
    if (!entry) return {};
    if (entry.data) return { [name]: entry.data.slice() };
    return Object.fromEntries([...entry.contents].filter(([, file]) => file.data).map(([key, file]) => [key, file.data.slice()]));
  },
};

onmessage = async ({ data: { id, task, ...given } }) => {
  try {
    const value = await tasks[task](given);
    postMessage({ id, value, memory: exported?.memory.buffer.byteLength });
  } catch (error) {
    const full = error instanceof RangeError || /memory/i.test(error.message);
    const words = full && task !== "start" ? "The browser has no more memory for this." : error.message;
    postMessage({ id, error: words, ended: task === "run_cell" || task === "start" });
  }
};

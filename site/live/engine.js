// All that the pages know of the engine: start(tell) gives { run_cell, files, stop }.
//   start(tell)              tell(words) hears what is being loaded, and how much of it
//   run_cell(source, show)   show(output) hears {stream} or {data, metadata} or {error} as they come; resolves when done
//   files.write(path, data)  puts a file in place; files.read(path) gives {name: bytes} of a file or a folder
//   stop()                   ends the engine: what waits is rejected, and a new start is needed
const megabytes = (bytes) => (bytes / 1e6).toFixed(0);

// The smallest module that catches an exception as the engine does (try_table, opcode 31): what an old browser refuses.
const CATCHES = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 31, 64, 0, 11, 11]);

export async function start(tell) {
  if (!globalThis.crypto?.subtle) {
    throw new Error("This connection is not secure, so nothing can run: use an address that begins with https or 127.0.0.1.");
  }
  if (typeof WebAssembly !== "object" || !WebAssembly.validate(CATCHES) || typeof DecompressionStream !== "function") {
    throw new Error("This browser cannot run it, and nothing was downloaded: it lacks WebAssembly with exception "
      + "references. Chrome and Edge have them from 137 on, Firefox from 131, and Safari (all browsers of an iPhone) from 18.4.");
  }
  // A worker obeys the policy of its own file, which a plain server sends without any; one that begins as a piece of
  // this page obeys the page's, which forbids connections to elsewhere.
  const code = `import ${JSON.stringify(new URL("worker.js", import.meta.url).href)};
    postMessage({ listens: true });`;
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const worker = new Worker(address, { type: "module" });
  const waiting = new Map();
  let [count, total, got, show, memory, ended] = [0, 0, 0, null, 0, null];
  const end = (words) => {
    ended = words;
    worker.terminate();
    for (const { no } of waiting.values()) no(new Error(words));
    waiting.clear();
  };
  await new Promise((yes, no) => {
    worker.onmessage = yes; // it listens: messages before that would be lost
    worker.onerror = () => no(new Error("The engine's script could not be loaded. Reload the page, and try again."));
  });
  URL.revokeObjectURL(address);
  worker.onerror = ({ message }) => end(`The engine has ended (${message}).`);
  worker.onmessage = ({ data }) => {
    if (data.output) show?.(data.output);
    else if (data.total) total = data.total;
    else if (data.state) tell(`${data.state} ...`);
    else if (data.progress) {
      got += data.progress.bytes;
      tell(`Loading Python and its libraries, once: ${megabytes(got)} of ${megabytes(total)} MB`);
    } else if (waiting.has(data.id)) {
      const { yes, no } = waiting.get(data.id);
      waiting.delete(data.id);
      memory = data.memory ?? memory;
      if (data.error) { no(new Error(data.error)); if (data.ended) end(data.error); } else yes(data.value);
    }
  };
  const ask = (task, given = {}, transfer = []) => new Promise((yes, no) => {
    if (ended) { no(new Error(ended)); return; }
    waiting.set(++count, { yes, no });
    worker.postMessage({ id: count, task, ...given }, transfer);
  });
  tell("Loading Python and its libraries ...");
  await ask("start");
  return {
    run_cell(source, show_output) { show = show_output; return ask("run_cell", { source }); },
    files: {
      write: (path, data) => ask("write", { path, data }, [data.buffer]),
      read: (path) => ask("read", { path }),
    },
    stop: () => end("Stopped."),
    get memory() { return memory; },
    get downloaded() { return got; },
    get ended() { return ended; },
  };
}

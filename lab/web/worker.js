// Python in a worker: loads it, builds the lab, answers one message at a time.

const post = (type, more = {}) => self.postMessage({ type, ...more });
const BEAT_MS = 1000;
const REST_MS = 2000;
let receive = null;
let pinned = {};
let cache = "default";
let isKept = false; // by the service worker, which then answers for all files
let lastSign = 0;
let forLater = null; // what only the next visit gains from: done once nothing was asked for REST_MS
let rest;

// Python calls this all through a calculation; the page must not take a long one for a dead one.
function beat() {
  const now = performance.now();
  if (now - lastSign < BEAT_MS) return;
  lastSign = now;
  post("beat");
}

self.onmessage = ({ data }) => {
  if (data.type === "start") {
    ({ runtime: pinned, cache, isKept } = data);
    for (const name of Object.keys(pinned)) ahead(name);
    start(data.isFirst).catch(report);
  }
  else if (data.type === "message") answer(data);
};

// Pyodide waits without an end when one of its files does not come, so each is watched here.
const { fetch: plainFetch } = self;
const { instantiateStreaming } = WebAssembly;
self.fetch = async (resource, options) => {
  const address = String(resource?.url ?? resource);
  const name = address.replace(new URL(".", self.location.href).href, "");
  const coming = early.get(name);
  early.delete(name);
  if (coming) return coming;
  // A file that arrives and is not what the build wrote is refused, as if it had not come.
  const request = { ...options, integrity: pinned[name] };
  let response;
  try {
    response = await (pinned[name] && !isKept ? kept(address, request) : plainFetch(resource, request));
  } catch (error) {
    report(new Missing(name, `could not be fetched, or is not the file that was built: ${error.message}`));
    throw error;
  }
  if (!response.ok) report(new Missing(name, `answered ${response.status}`));
  return response;
};

// Files that will be asked for, so that none waits for a script that asks.
const early = new Map();

function ahead(name) {
  const coming = self.fetch(new URL(name, self.location.href));
  coming.catch(() => {}); // who asks for it hears of that
  early.set(name, coming);
}

// The folder of this script has a checksum in its name and never means other bytes, so any copy will
// do: several labs on a page share one download. The browser's own cache drops files as large as
// these in a private window, and obeys the server; this store does neither, where it is allowed. It
// is the service worker's, which later adds the rest of the site.
const storage = async () => self.caches?.open(new URL(".", self.location.href).href);
const IMAGE = self.location.href.replace(/[^/]*$/, "image");
// Another version of the browser may lay the memory out in another way.
const BROWSER = `?${encodeURIComponent(navigator.userAgent)}`;

async function kept(url, options) {
  const store = await storage().catch(() => null);
  const copy = cache === "force-cache" ? await store?.match(url) : null;
  if (copy) return copy;
  const ask = (how) => plainFetch(url, { ...options, cache: how });
  let response = await ask(cache).catch(() => null);
  if (!response?.ok) response = await ask("reload"); // the browser's own copy may be the reason
  if (response.ok) store?.put(url, response.clone()).catch(() => {}); // full: then it is not kept
  return response;
}

WebAssembly.instantiateStreaming = async (...module) => {
  try {
    return await instantiateStreaming(...module);
  } catch (error) {
    report(new Missing("pyodide/pyodide.asm.wasm", `cannot be run: ${error.message}`));
    throw error;
  }
};

const LAB = `
import gc, json
from lab.app import Lab, receiver
lab = Lab()
gc.freeze() # what is there now stays: no collection need look through it
`;
const JOIN = `
lab.send = lambda update: post_progress(json.dumps(update))
lab.session.runs.beat = beat
receiver(lab)
`;

// The image is of a Python with the lab in it, as it stood in this browser before its first message.
// A worker that takes over from one that died does without, in case the image was the reason.
async function start(isFirst) {
  const store = await storage().catch(() => null);
  const image = isFirst ? await store?.match(IMAGE + BROWSER).catch(() => null) : null;
  const python = (image && await started(image.arrayBuffer()).catch(() => null)) || await started();
  python.globals.set("post_progress", (body) => {
    post("progress", { body });
    awaitRest();
  });
  python.globals.set("beat", beat);
  self.heapBytes = () => python._module.HEAP8.length; // for the benchmark
  receive = python.runPython(JOIN);
  const signature = JSON.parse(python.runPython("json.dumps(lab.signature())"));
  post("live", { signature, isResumed: python.isResumed });
  forLater = keeping(store, python.image);
  delete python.image;
}

// Not written in `start`, what of which lives as long as the worker: the image would stay too.
function keeping(store, image) {
  return () => {
    post("rest");
    if (store && image) keep(store, image).catch(() => {}); // no space: then it is not kept
  };
}

function awaitRest() {
  if (!forLater) return;
  clearTimeout(rest);
  rest = setTimeout(() => {
    forLater();
    forLater = null;
  }, REST_MS);
}

async function keep(store, image) {
  await store.delete(IMAGE, { ignoreSearch: true });
  await store.put(IMAGE + BROWSER, new Response(image));
}

async function started(image) {
  const { startPython } = await import("./python.mjs");
  const python = await startPython({
    unpacking: () => post("stage", { stage: "packages" }),
    image,
  });
  post("stage", { stage: "app" });
  python.isResumed = Boolean(image);
  if (!image) {
    python.runPython(LAB);
    try {
      python.image = python.makeMemorySnapshot();
    } catch { /* then the next visit starts as this one */ }
  }
  return python;
}

function answer({ id, body }) {
  lastSign = performance.now();
  try {
    post("answer", { id, body: receive(body) });
  } catch (error) {
    post("error", { id, detail: String(error?.message ?? error) });
  }
  awaitRest();
}

class Missing extends Error {
  constructor(path, what) {
    super(`${path} ${what}`);
  }
}

// Plain objects only: some browsers cannot clone an Error.
function report(error) {
  const sentence = error instanceof Missing
    ? `A file of this site is missing or damaged: ${error.message}. Reload the page; if that does not help, build the site again.`
    : "Python could not be started: a file of this site is missing or damaged, or there is too little memory. Reload the page; if that does not help, build the site again.";
  post("failed", { sentence, detail: String(error?.stack ?? error?.message ?? error) });
}

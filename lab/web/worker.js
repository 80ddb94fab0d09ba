// Python in a worker: loads it, builds the lab, answers one message at a time.

const post = (type, more = {}) => self.postMessage({ type, ...more });
let receive = null;

self.onmessage = ({ data }) => {
  if (data.type === "start") start(data.runtime).catch(report);
  else if (data.type === "message") answer(data);
};

async function start(runtime) {
  post("stage", { stage: "runtime" });
  const archives = Promise.all(runtime.archives.map(fetched));
  archives.catch(() => {}); // reported below; not as unhandled in the meantime
  const { loadPyodide } = await import("./pyodide/pyodide.mjs");
  const python = await loadPyodide({
    indexURL: new URL("./pyodide/", self.location.href).href,
    env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0", PANEL_CDN_ROOT: "./static/panel/" },
  });
  post("stage", { stage: "packages" });
  for (const { bytes, kind } of await archives) python.unpackArchive(bytes, kind);
  post("stage", { stage: "app" });
  python.globals.set("post_progress", (body) => post("progress", { body }));
  const lab = python.runPython(`
import json
from lab.app import Lab, receiver
lab = Lab()
lab.send = lambda update: post_progress(json.dumps(update))
receiver(lab)
`);
  receive = lab;
  post("live", { signature: JSON.parse(python.runPython("json.dumps(lab.signature())")) });
}

function answer({ id, body }) {
  try {
    post("answer", { id, body: receive(body) });
  } catch (error) {
    post("error", { id, detail: String(error?.message ?? error) });
  }
}

// A file whose bytes are what the build wrote; anything else is refused with its name.
async function fetched({ path, sha256, kind }) {
  let response;
  try {
    response = await fetch(path);
  } catch (error) {
    throw new Missing(path, `could not be fetched: ${error.message}`);
  }
  if (!response.ok) throw new Missing(path, `answered ${response.status}`);
  const bytes = await response.arrayBuffer();
  if (self.crypto?.subtle) { // only where the page is secure; elsewhere the archive's own checks do
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const found = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
    if (found !== sha256) throw new Missing(path, "is not the file that was built: its checksum differs");
  }
  return { bytes, kind };
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

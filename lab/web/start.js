// Starts the worker in which Python runs. That takes longest, so it waits for nothing else of the
// page; engine.js takes over, with what the worker has said until then.
const { src: scriptAddress, dataset: { runtime } } = document.currentScript;

function launch(isFirst) {
  const worker = new Worker(new URL("worker.js", scriptAddress), { type: "module" });
  const early = [];
  worker.onmessage = worker.onerror = (event) => early.push(event);
  // A reload asks the server again, in case a damaged file has been mended.
  const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload";
  worker.postMessage({
    type: "start",
    runtime: JSON.parse(runtime),
    isFirst,
    isKept: Boolean(navigator.serviceWorker?.controller),
    cache: isReload ? "no-cache" : "force-cache",
  });
  return { worker, early };
}

let first = null;
try {
  first = launch(true);
} catch { /* this browser cannot, or not here: guard.js says why */ }
self.starter = { first, launch };

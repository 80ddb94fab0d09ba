// Starts the worker in which Python runs. That takes longest, so it waits for nothing else of the
// page; engine.js takes over, with what the worker has said until then.
{
  const { src, dataset: { runtime } } = document.currentScript;

  const launch = (isFirst) => {
    const worker = new Worker(new URL("worker.js", src), { type: "module" });
    const early = [];
    worker.onmessage = (event) => early.push(event);
    worker.onerror = (event) => {
      event.preventDefault(); // not for whoever hears of the page's own errors
      early.push(event);
    };
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
  };

  let first = null;
  try {
    first = launch(true);
  } catch { /* this browser cannot, or not here: guard.js says why, or a second try will */ }
  self.starter = { first, launch };
}

// The browser's own copy of the site: asked for once the page is live and nobody moves anything, so
// that it costs neither the start nor the first moves.
// Where there is none (a private window, a page not served over https, no space) nothing changes.
export function keepSite() {
  const { serviceWorker } = navigator;
  if (!serviceWorker || serviceWorker.controller) return; // the browser itself looks for a newer one
  serviceWorker.register(new URL("../sw.js", import.meta.url)).catch(() => {});
}

// Runs before the first paint, so that a chosen scheme never flashes. Storage may be blocked.
try {
  const linked = new URLSearchParams(location.search).get("theme");
  const chosen = ["light", "dark"].includes(linked) ? linked : localStorage.getItem("lab-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* the system's scheme then */ }

if (new URLSearchParams(location.search).get("embed") === "1") document.documentElement.dataset.embed = "";

const folder = document.currentScript.src.replace(/[^/]*$/, ""); // of all that this page loads

// A script that does not come, or cannot be read, leaves nobody to say so but this one: even
// boot.js may be it. Returns its name, or nothing if the page goes on without it.
function brokenScript({ target, filename, error, message }) {
  const nameOf = (address) => (String(address).startsWith(folder) ? address.slice(folder.length) : "");
  if (target?.tagName === "SCRIPT") return nameOf(target.src) || target.getAttribute("src");
  const { stage } = document.documentElement.dataset;
  const stops = stage === "page" || (stage !== "live" && error instanceof SyntaxError);
  const name = nameOf(filename);
  if (!stops || !name || name.startsWith("static/")) return null; // of Bokeh's, boot.js tells
  // Half a module may be read and only lack what another one wants of it.
  return /requested module '(?:[^']*\/)?([^'/]+)'/.exec(message)?.[1] ?? name;
}

addEventListener("error", (event) => {
  const script = brokenScript(event);
  if (!script) return;
  const tell = () => {
    const byId = (id) => document.getElementById(id);
    if (!byId("failure")) return; // the article is complete without its script
    document.documentElement.dataset.stage = "failed";
    byId("failure").hidden = false;
    byId("failure-text").textContent = self.origin === "null" // such a frame may not load modules
      ? "This page is in a sandboxed frame that forbids its scripts. Add allow-same-origin to the frame's sandbox, next to allow-scripts, or open the page by itself."
      : `A script of this page, or one that it needs, is missing or damaged: ${script}. Reload the page; if that does not help, build the site again.`;
    if (location.protocol === "file:") {
      byId("failure-text").textContent = "A page opened as a file cannot start Python. Serve the folder instead, for example with: python -m http.server.";
    }
    byId("failure-detail").textContent = event.message ?? `${event.target.src} could not be loaded`;
    byId("status-text").textContent = "Not live: see the message at the top.";
  };
  if (document.getElementById("announcer")) tell();
  else addEventListener("DOMContentLoaded", tell);
}, true);

// What the browser keeps of the site may be damaged too: trying again asks the server for all of it.
async function tryAgain() {
  try {
    await (await navigator.serviceWorker.getRegistration())?.unregister();
    const root = new URL("..", folder).href;
    for (const name of await caches.keys()) if (name.startsWith(root)) await caches.delete(name);
  } catch { /* nothing is kept here */ }
  location.reload();
}

document.addEventListener("click", ({ target }) => {
  if (target.id === "failure-retry") tryAgain();
});

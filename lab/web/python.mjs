// Starts Python with all its packages in place: for the worker, and for build.py, which proves the
// site with it in Node.

async function fetched(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} could not be loaded (HTTP ${response.status})`);
  return response.arrayBuffer();
}

// The browser inflates faster than Python does, and whole, so the archive is smaller as well.
// Some servers declare a .gz as compressed content: then the browser has inflated it already.
async function inflated(buffer) {
  if (new Uint8Array(buffer)[0] !== 0x1f) return buffer;
  const stream = new Blob([buffer]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

function* filesOf(tar) {
  const decoder = new TextDecoder();
  const text = (start, length) =>
    decoder.decode(tar.subarray(start, start + length)).replace(/\0.*$/s, "");
  for (let at = 0, size; tar[at]; at += 512 * (1 + Math.ceil(size / 512))) {
    size = parseInt(text(at + 124, 12), 8);
    const folder = text(at + 345, 155);
    yield [folder + "/" + text(at, 100), tar.subarray(at + 512, at + 512 + size)];
  }
}

/**
 * Start Python. `read` gives the bytes of a file of the site, `unpacking` is called when all are
 * there, further options go to loadPyodide.
 */
export async function startPython({ read = fetched, unpacking, ...options } = {}) {
  // All of it starts at once; loadPyodide finds the second script in the module cache.
  const scripts = [import("./pyodide/pyodide.mjs"), import("./pyodide/pyodide.asm.mjs")];
  const packages = read("packages.tar.gz").then(inflated);
  const env = { PYTHONHASHSEED: "0", PANEL_CDN_ROOT: "./static/panel/" };
  const starting = scripts[0].then(({ loadPyodide }) => loadPyodide({ env, ...options }));
  const [pyodide, tar] = await Promise.all([starting, packages, scripts[1]]);
  unpacking?.();
  for (const [name, bytes] of filesOf(new Uint8Array(tar))) {
    const path = `/lib/python3.14/site-packages/${name}`;
    pyodide.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    pyodide.FS.writeFile(path, bytes, { canOwn: true }); // no copy: the archive stays the store
  }
  pyodide.runPython("import importlib; importlib.invalidate_caches()");
  return pyodide;
}

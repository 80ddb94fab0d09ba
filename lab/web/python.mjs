// Starts Python with all its packages in place: for the worker, and for build.py, which proves the
// site with it in Node.

import { loadPyodide } from "./pyodide/pyodide.mjs";
import createModule from "./pyodide/pyodide.asm.mjs";

const PACKAGES = "/lib/python3.14/site-packages/";
const GROWTH = 2 ** 20;

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
    yield [`${PACKAGES}${folder}/${text(at, 100)}`.replaceAll("//", "/"), tar.subarray(at + 512, at + 512 + size)];
  }
}

// All files, and those of NumPy that are WebAssembly compiled, which the browser does on the side.
async function unpacked(archive) {
  const files = [...filesOf(new Uint8Array(await inflated(archive)))];
  const compile = async ([path, bytes]) => [path, await WebAssembly.compile(bytes)];
  return { files, libraries: await Promise.all(files.filter(([path]) => path.endsWith(".so")).map(compile)) };
}

// Before Python runs, and so at the same addresses each time: an image of the memory has to find
// NumPy's functions where they were. Python's import then finds each library loaded.
function link(module, libraries) {
  for (const [path, library] of libraries) {
    module.newDSO(path, undefined, module.loadWebAssemblyModule(library, { nodelete: true }, path, {}));
  }
}

// Before Python starts: it waits for that, but who does not hear of a failure would wait for ever.
async function place(module, packages, unpacking) {
  module.addRunDependency("packages");
  const { files, libraries } = await packages;
  unpacking?.();
  link(module, libraries);
  for (const [path, bytes] of files) {
    module.FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
    module.FS.writeFile(path, bytes, { canOwn: true }); // no copy: the archive stays the store
  }
  module.removeRunDependency("packages");
}

/**
 * Start Python. `read` gives the bytes of a file of the site, `unpacking` is called when the packages
 * are there, further options go to loadPyodide. `image` is for what an earlier Python, started here
 * from the same files, has given as `makeMemorySnapshot()`: this one goes on where that stood.
 */
export async function startPython({ read = fetched, unpacking, image, ...options } = {}) {
  const packages = read("packages.tar.gz").then(unpacked);
  const memory = image?.then((buffer) => new Uint8Array(buffer));
  async function createPyodideModule(settings) {
    growExactly(settings);
    const placed = new Promise((done, failed) => {
      settings.preRun.push((module) => { place(module, packages, unpacking).then(done, failed); });
    });
    // Without the packages it never comes to that, so their failure is told here too.
    const [module] = await Promise.all([createModule(settings), placed, packages]);
    if (memory) grow(module, await memory);
    return module;
  }
  return loadPyodide({
    env: { PYTHONHASHSEED: "0", PANEL_CDN_ROOT: "./static/panel/" },
    createPyodideModule,
    ...(memory ? { _loadSnapshot: memory } : { _makeSnapshot: true }),
    ...options,
  });
}

// Memory never gets smaller, and by itself grows by a fifth and more, needed or not.
function growExactly(module) {
  const { instantiateWasm } = module;
  module.instantiateWasm = (imports, done) => {
    if (!imports.env.emscripten_resize_heap) throw new Error("this Python's memory grows in another way");
    imports.env.emscripten_resize_heap = (size) =>
      module.growMemory(GROWTH * Math.ceil((size >>> 0) / GROWTH)) ?? 0; // 0: there is no more
    return instantiateWasm(imports, done);
  };
}

// Pyodide expects the memory of an image to be no larger than that of a start.
function grow(module, image) {
  const [, header] = new Uint32Array(image.buffer, 0, 2);
  const size = image.length - header;
  if (module.HEAP8.length < size) module.growMemory(size);
}

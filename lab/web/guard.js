// Why this page cannot calculate here, in one sentence with a remedy; or null.
export function whyNotHere() {
  if (location.protocol === "file:") {
    return "A page opened as a file cannot start Python. Serve the folder instead, for example with: python -m http.server.";
  }
  if (self.origin === "null") {
    return "This page is in a sandboxed frame that forbids workers. Add allow-same-origin to the frame's sandbox, next to allow-scripts, or open the page by itself.";
  }
  if (typeof WebAssembly !== "object" || typeof WebAssembly.instantiate !== "function") {
    return "This browser has WebAssembly turned off, which runs Python here. Turn it on, or use a current Chrome, Edge, Firefox or Safari.";
  }
  if (typeof Worker !== "function" || !hasModuleWorkers()) {
    return "This browser is too old to run Python here: it has no module workers. Use a current Chrome, Edge, Firefox or Safari.";
  }
  return null;
}

function hasModuleWorkers() {
  let asked = false;
  const options = { get type() { asked = true; throw new TypeError("only asked"); } };
  try {
    // A browser that knows module workers reads the type, and then stops: nothing is fetched.
    new Worker("", options).terminate();
  } catch { /* then it was not asked either, or workers are forbidden altogether */ }
  return asked;
}

// Taking something along: the link, files, the code that gives the same numbers.
import { byId } from "./dom.js";

const SAID_MS = 4000;

export function bindShare(engine, charts, address) {
  byId("copy-link").addEventListener("click", () => copy(address.link(), "The link is copied."));
  byId("export-run").addEventListener("click", () => engine.act("export", "run"));
  byId("show-code").addEventListener("click", () => engine.act("code"));
  byId("code-close").addEventListener("click", () => byId("code").close());
  byId("embed-this").addEventListener("click", () => engine.act("snippet", new URL("./", location.href).href));
  byId("embed-close").addEventListener("click", () => byId("embed").close());
  document.addEventListener("click", ({ target }) => {
    const copied = target.closest("[data-copy]");
    if (copied) copy(byId(copied.dataset.copy).textContent, "Copied.");
    const table = target.closest("[data-csv]");
    if (table) engine.act("export", table.dataset.csv);
    const image = target.closest("[data-image]");
    if (image) saveImage(charts(), image.dataset.image, image.dataset.type);
  });
}

// What Python sends along with a readout: a file to hand out, code to show.
export function showReplies({ file, code, snippet }) {
  if (file) save(file.name, new Blob([file.text], { type: `${file.type};charset=utf-8` }));
  if (code) {
    byId("code-python").textContent = code.python;
    byId("code-command").textContent = code.command;
    if (!byId("code").open) byId("code").showModal();
  }
  if (snippet) {
    byId("embed-code").textContent = snippet;
    if (!byId("embed").open) byId("embed").showModal();
  }
}

async function saveImage(charts, name, type) {
  const blob = await charts?.image(name, type);
  if (blob) save(`compaction-${name}.${type}`, blob);
  else say("The picture could not be made. Try again when the page is live.");
}

export function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000); // the browser reads it in its own time
  say(`${name} is saved.`);
}

export async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch { // not allowed here: then by hand
    byId("copy-text").value = text;
    byId("copy-by-hand").showModal();
    byId("copy-text").select();
  }
}

let forgetting = null;
export function say(text) {
  clearTimeout(forgetting);
  for (const place of document.querySelectorAll(".said")) place.textContent = text;
  forgetting = setTimeout(() => {
    for (const place of document.querySelectorAll(".said")) place.textContent = "";
  }, SAID_MS);
}

// The folded part of the page: which of it is open, what it shows, and what is chosen in it.
import { byId } from "./dom.js";

// What is open and in sight; a row that is open in a closed fold is not.
export function openPanels() {
  return [...document.querySelectorAll("[data-panel][open]")]
    .filter((row) => !row.parentElement.closest("details:not([open])"))
    .map((row) => row.dataset.panel);
}

export function bindPanels(engine) {
  let told = "";
  for (const fold of [byId("packs-fold"), ...document.querySelectorAll("[data-panel]")]) {
    fold.addEventListener("toggle", () => {
      const open = openPanels();
      if (open.join() === told) return;
      told = open.join();
      engine.act("panels", open);
    });
  }
  byId("packs").addEventListener("change", ({ target }) => {
    if (!target.matches("[data-pick]")) return;
    delete target.closest(".panel").dataset.html; // the list shows again what is in force
    if (target.value) engine.act("card", target.value);
  });
}

export function showPanels({ packs, packs_on, panels }) {
  if (byId("packs-on").textContent !== packs_on) byId("packs-on").textContent = packs_on;
  for (const state of document.querySelectorAll("[data-pack]")) {
    const lock = state.closest(".row").querySelector(".control.locked")?.title;
    const text = [packs.includes(state.dataset.pack) ? "on" : "off", lock].filter(Boolean).join(", ");
    if (state.textContent !== text) state.textContent = text;
  }
  for (const [name, html] of Object.entries(panels)) {
    fill(document.querySelector(`[data-panel="${name}"] .panel`), html);
  }
}

// What had the focus has it again, in what replaces it.
export function fill(panel, html) {
  if (panel.dataset.html === html) return;
  const { id } = panel.contains(document.activeElement) ? document.activeElement : {};
  panel.innerHTML = html;
  panel.dataset.html = html;
  if (id) byId(id)?.focus({ preventScroll: true });
}

// The page's buttons, the help texts, the cursor of one task, and the scheme.
import { setField } from "./controls.js";
import { showNotice } from "./readout.js";
import { byId, setText } from "./dom.js";

// Written only when it changes: a screen reader says it again at every writing.
export function setStatus(text) {
  setText(byId("status-text"), text);
}

export function bindActions(engine, charts, address) {
  const click = (id, action) => byId(id).addEventListener("click", action);
  click("new-seed", () => {
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    setField("seed", String(1 + (drawn % 999999)));
  });
  click("pin", () => engine.act("pin"));
  click("restore-baseline", () => engine.act("restore-baseline"));
  click("check-seeds", () => engine.act("check-seeds"));
  click("cancel", () => engine.act("cancel"));
  click("task-before", () => setField("task", String(Number(byId("task").value) - 1)));
  click("task-after", () => setField("task", String(Number(byId("task").value) + 1)));
  click("notice-close", () => showNotice(""));
  click("theme", () => {
    switchScheme();
    charts()?.paint();
    address.setOwn("theme", document.documentElement.dataset.theme);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts()?.paint());

  byId("cursor").addEventListener("input", (event) => charts()?.moveCursor(Number(event.target.value)));
  document.addEventListener("click", (event) => {
    const restore = event.target.closest("[data-restore]");
    if (restore) engine.act("restore", Number(restore.dataset.restore));
  });
  document.addEventListener("lab-restore", (event) => engine.act("restore", event.detail));
  for (const table of document.querySelectorAll("[data-table]")) {
    table.addEventListener("toggle", () => {
      const open = [...document.querySelectorAll("[data-table][open]")].map((each) => each.dataset.table);
      engine.act("tables", open);
    });
  }
  bindHelp();
}

function bindHelp() {
  const close = () => {
    for (const button of document.querySelectorAll(".help[aria-expanded='true']")) toggle(button, false);
  };
  const toggle = (button, open) => {
    button.setAttribute("aria-expanded", String(open));
    byId(button.getAttribute("aria-controls")).hidden = !open;
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".help");
    const open = button?.getAttribute("aria-expanded") === "true";
    if (!event.target.closest(".help-text")) close();
    if (button && !open) toggle(button, true);
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
}

function switchScheme() {
  const page = document.documentElement;
  const dark = page.dataset.theme ? page.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  page.dataset.theme = dark ? "light" : "dark";
  try {
    localStorage.setItem("lab-theme", page.dataset.theme);
  } catch { /* blocked or full: the choice lasts as long as the page */ }
}

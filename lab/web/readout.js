// Puts what Python says into the page's own elements.
import { showValue } from "./controls.js";

const byId = (id) => document.getElementById(id);
const setText = (element, text) => { if (element.textContent !== text) element.textContent = text; };

let announcing = null;

export function showReadout(readout) {
  setText(byId("lead"), readout.lead);
  setText(byId("rest"), readout.rest);
  announceLater(readout.lead + readout.rest);
  for (const tile of readout.tiles) showTile(tile);
  setText(byId("details"), readout.details);
  showErrors(readout);
  showResting(readout.resting, readout.locks);
  setHtml(byId("baseline"), readout.baseline);
  byId("pin").disabled = readout.is_baseline;
  byId("restore-baseline").disabled = readout.is_restored;
  setText(byId("task-title"), readout.task_title);
  byId("task-before").disabled = readout.task <= 0;
  byId("task-after").disabled = readout.task >= readout.tasks - 1;
  for (const [name, html] of Object.entries(readout.tables)) {
    setHtml(document.querySelector(`[data-table="${name}"] .scroll`), html);
  }
  for (const [name, text] of Object.entries(readout.alt)) byId(`chart-${name}`).setAttribute("aria-label", text);
  showRobust(readout.robust);
}

function showTile({ key, value, text, interval, delta, unit, tone }) {
  const tile = document.querySelector(`[data-tile="${key}"]`);
  tile.dataset.value = value;
  setText(tile.querySelector(".value"), text);
  setText(tile.querySelector(".interval"), interval);
  const line = tile.querySelector(".delta");
  setText(line.firstElementChild, delta);
  setText(line.lastElementChild, unit);
  line.className = `delta ${tone}`;
}

// The names whose text is another one now.
const changed = (before, now) => [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((name) => before[name] !== now[name]);

let shownErrors = {};

// A field's own error stands at the field; one of the settings together stands above the tiles.
function showErrors({ error, errors }) {
  setText(byId("error"), error && `${error} The last valid setting is shown.`);
  byId("error").hidden = !error;
  byId("error").parentElement.classList.toggle("stale", Boolean(error));
  for (const name of changed(shownErrors, errors)) {
    const text = errors[name] ?? "";
    setText(byId(`error-${name}`), text);
    byId(`error-${name}`).hidden = !text;
    byId(name).setAttribute("aria-invalid", String(Boolean(text)));
  }
  shownErrors = errors;
}

let shownResting = null; // as the build has it
let shownLocks = {};

// A control that has no effect rests; one that a mission locks keeps showing its value.
function showResting(resting, locks) {
  const boxes = [...document.querySelectorAll(".control[data-control]")];
  const names = new Set([...changed(shownResting ?? {}, resting), ...changed(shownLocks, locks)]);
  for (const box of boxes.filter((each) => !shownResting || names.has(each.dataset.control))) {
    const name = box.dataset.control;
    const why = resting[name] ?? "";
    const lock = locks[name] ?? "";
    box.classList.toggle("resting", name in resting);
    box.classList.toggle("locked", Boolean(lock));
    box.title = lock;
    for (const input of box.querySelectorAll("input")) input.disabled = name in resting || Boolean(lock);
    const rest = box.querySelector(".rest");
    if (rest) setText(rest, why || lock);
    if (box.dataset.kind === "slider") {
      if (why) setText(box.querySelector("output"), why);
      else showValue(box);
    }
  }
  [shownResting, shownLocks] = [resting, locks];
}

function showRobust({ state, done, of, text, table }) {
  const running = state === "running";
  byId("check-seeds").hidden = running;
  byId("cancel").hidden = !running;
  byId("robust-progress").hidden = !running;
  byId("robust-progress").max = of;
  byId("robust-progress").value = done;
  setText(byId("robust-text"), text);
  byId("robust-text").dataset.state = state;
  byId("robust-table").hidden = !table || running;
  setHtml(byId("robust-table"), table);
}

function setHtml(element, html) {
  if (element.dataset.html === html) return;
  // Rebuilding a table must not take the focus from the button that asked for it.
  const focused = element.contains(document.activeElement);
  element.innerHTML = html;
  element.dataset.html = html;
  if (focused) (element.querySelector("button, [tabindex]") ?? element).focus({ preventScroll: true });
}

// The sentence is read out once the setting rests, not at every move of a slider.
function announceLater(sentence) {
  clearTimeout(announcing);
  announcing = setTimeout(() => setText(byId("announcer"), sentence), 700);
}

// What of a link could not be used; it stays until it is closed or the next link is opened.
export function showNotice(sentence) {
  setText(byId("notice-text"), sentence);
  byId("notice").hidden = !sentence;
}

export function showTrouble(sentence) {
  setText(byId("error"), sentence);
  byId("error").hidden = false;
}

export function showFailure(sentence, detail) {
  byId("failure").hidden = false;
  setText(byId("failure-text"), sentence);
  setText(byId("failure-detail"), detail || "No more is known.");
}

// The mission card: shows what Python says of it, sends what is pressed, keeps the progress.

const byId = (id) => document.getElementById(id);
const STORE = "lab-progress";

export function bindMissions(engine) {
  const click = (id, action) => byId(id).addEventListener("click", action);
  click("mission-load", () => engine.act("load-mission"));
  click("mission-check", () => engine.act("check-mission"));
  click("mission-hint", () => engine.act("hint"));
  click("mission-leave", () => engine.act("leave-mission"));
  click("mission-next", () => engine.act("next-mission"));
  click("unlock", () => engine.act("unlock"));
  click("progress-save", () => engine.act("save-progress"));
  click("progress-load", () => byId("progress-file").click());
  click("progress-reset", () => byId("reset").showModal());
  byId("reset").addEventListener("close", () => {
    if (byId("reset").returnValue === "reset") engine.act("reset-progress");
  });
  byId("progress-file").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    target.value = ""; // the same file may be chosen again
    if (file) engine.act("load-progress", await file.text());
  });
  // Another tab of the lab has kept something, or forgotten everything.
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== STORE) return;
    if (newValue) engine.act("progress", newValue);
    else engine.act("reset-progress");
  });
  addEventListener("pageshow", ({ persisted }) => { // was left for a while, and heard nothing
    if (!persisted) return;
    const kept = read();
    engine.act(...(kept ? ["progress", kept] : ["reset-progress"]));
  });
  document.addEventListener("click", ({ target }) => {
    const mission = target.closest("[data-mission]");
    if (mission) engine.act("mission", mission.dataset.mission);
    const guess = target.closest("[data-guess]");
    if (guess) engine.act("predict", guess.dataset.guess);
  });
}

// What a new lab has to know before anything else.
export function opening() {
  const actions = [];
  const kept = read();
  if (kept) actions.push(["progress", kept]);
  const asked = new URLSearchParams(location.search);
  if (asked.get("unlock") === "all" || asked.get("embed") === "1") actions.push(["unlock-sitting", null]);
  return actions;
}

let memory = null; // as good as the storage, for as long as the page lives

function read() {
  try {
    return localStorage.getItem(STORE) ?? memory;
  } catch {
    return memory;
  }
}

// Whether it could be kept. An empty text forgets it.
export function keepProgress(text) {
  memory = text;
  try {
    if (text) localStorage.setItem(STORE, text);
    else localStorage.removeItem(STORE);
    return true;
  } catch { // blocked or full
    return false;
  }
}

export function showCard(card) {
  const setText = (id, words) => { if (byId(id).textContent !== words) byId(id).textContent = words; };
  const setHtml = (id, html) => {
    if (byId(id).dataset.html === html) return;
    byId(id).innerHTML = html;
    byId(id).dataset.html = html;
  };
  const show = (id, isShown) => { byId(id).hidden = !isShown; };
  byId("mission").dataset.state = card.state;
  byId("mission").classList.toggle("loaded", card.loaded);
  setHtml("mission-segments", card.segments);
  setText("mission-number", `Mission ${card.number}`);
  setText("mission-title", card.title);
  setText("mission-brief", card.brief);
  setHtml("mission-goals", card.goals);
  setText("mission-locks", card.locks);
  setHtml("mission-hints", card.hints);
  setText("mission-ask", card.ask);
  show("mission-prediction", card.ask);
  for (const button of document.querySelectorAll("[data-guess]")) {
    button.setAttribute("aria-pressed", String(button.dataset.guess === card.guess));
  }
  setText("mission-answer", card.answer);
  setHtml("mission-verdict", card.verdict);
  setHtml("mission-why", card.why);
  setText("mission-record", card.record);
  show("mission-check", card.loaded);
  byId("mission-check").disabled = !card.can_check;
  show("mission-hint", card.more_hints);
  show("mission-leave", card.loaded);
  show("mission-next", card.next && card.state === "solved");
  setText("mission-next", `Next: ${card.next}`);
  byId("mission-load").classList.toggle("primary", !card.loaded);
  byId("mission-check").classList.toggle("primary", card.state !== "solved");
  setList(card.list);
  byId("unlock").disabled = card.unlocked;
  byId("progress-save").disabled = byId("progress-reset").disabled = !card.solved && !card.unlocked;
}

// The pressed button is replaced by its successor, which takes the focus over.
function setList(html) {
  const list = byId("mission-list");
  if (list.dataset.html === html) return;
  const focused = list.contains(document.activeElement) ? document.activeElement.dataset.mission : null;
  list.innerHTML = html;
  list.dataset.html = html;
  if (focused) list.querySelector(`[data-mission="${focused}"]`)?.focus({ preventScroll: true });
}

export function celebrate() {
  const card = byId("mission");
  card.classList.remove("won");
  void card.offsetWidth; // so that the animation begins anew
  card.classList.add("won");
}

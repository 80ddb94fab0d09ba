// The picker of real agents, and their comparison.
import { fill } from "./panels.js";
import { byId } from "./dom.js";

let isTyping = false; // then the field is left alone

export function bindAgents(engine) {
  const click = (id, action) => byId(id).addEventListener("click", action);
  // A choice from the list counts at once, a typed name when it is finished.
  const names = new Set([...byId("preset-list").options].map((option) => option.value));
  const choose = (name) => {
    isTyping = false;
    engine.act("preset", name);
  };
  byId("preset").addEventListener("input", ({ target }) => {
    isTyping = true;
    if (names.has(target.value)) choose(target.value);
  });
  byId("preset").addEventListener("change", ({ target }) => choose(target.value));
  byId("preset-window").addEventListener("change", ({ target }) => engine.act("preset-window", target.value));
  byId("profile").addEventListener("change", ({ target }) => {
    if (target.value) engine.act("profile", target.value);
  });
  click("use-preset", () => engine.act("use-preset"));
  click("compare-presets", () => engine.act("compare-presets"));
  click("cancel-presets", () => engine.act("cancel-presets"));
  const load = (id) => engine.act("load-preset", id);
  byId("presets-table").addEventListener("click", ({ target }) => {
    const { sort, load: id } = target.closest("button")?.dataset ?? {};
    if (sort) engine.act("sort-presets", sort);
    if (id) load(id);
  });
  document.addEventListener("lab-agent", ({ detail }) => load(detail));
}

// Only told while it is open.
export function showAgents(agents) {
  if (!agents) return;
  const { state, done, of, said, chosen, profile, info, table, alt } = agents;
  const isRunning = state === "running";
  fill(byId("preset-info"), info);
  if (chosen && !isTyping) byId("preset").value = chosen;
  byId("profile").value = profile;
  byId("use-preset").disabled = !chosen;
  byId("compare-presets").hidden = isRunning;
  byId("cancel-presets").hidden = byId("presets-progress").hidden = !isRunning;
  Object.assign(byId("presets-progress"), { max: of, value: done });
  if (byId("presets-said").textContent !== said) byId("presets-said").textContent = said;
  byId("presets-said").dataset.state = state;
  byId("presets-found").hidden = !table;
  byId("chart-agents").setAttribute("aria-label", alt);
  fill(byId("presets-table"), table);
}

// The small view of the page in another one (?embed=1), and its talk with the page around it.
//
// Told:  { type, event: "size", height }, { type, event: "stage", stage, text },
//        { type, event: "change", state, tiles, done }: `done` is the id of the last set that it holds
// Heard: { type, set: { name: value, null for the default }, id }, { type, theme: "light" or "dark" }
import { byId } from "./dom.js";

const TYPE = "compaction-lab";
const CHARTS = ["context", "lives", "causes", "costs", "visited"];
const FIRST = { charts: "context", controls: "window,trigger,strategy" };
const TEXTS = {
  runtime: "Loading Python, 1 of 3",
  packages: "Starting Python, 2 of 3",
  app: "Starting the lab, 3 of 3",
  live: "Live",
  failed: "The lab could not start",
};
const page = document.documentElement;

export function bindEmbed(engine, repaint) {
  if (page.dataset.embed === undefined) return { stage() {}, update() {} };

  const view = new URLSearchParams(location.search);
  const { note, link } = furnish();
  const host = bindHost(hear);
  let share = view; // the state that is shown, as a query
  let wanted = null; // the state that is asked for and not shown yet
  let asked = 0;
  let free = null; // in a mission, the controls that it leaves open
  arrange();
  page.dataset.arranged = "";
  new ResizeObserver(() => host.tell("size", { height: Math.ceil(document.body.getBoundingClientRect().height) })).observe(document.body);

  function arrange() {
    const named = (names) => [...new Set(names.split(/[\s,]+/).filter(Boolean))];
    const charts = named(view.get("charts") ?? FIRST.charts), controls = named(view.get("controls") ?? free ?? FIRST.controls);
    const boxes = [...document.querySelectorAll("[data-control]")];
    for (const part of document.querySelectorAll("[data-chart]")) part.hidden = !charts.includes(part.dataset.chart);
    for (const box of boxes) {
      box.hidden = !controls.includes(box.dataset.control);
      if (!box.hidden && box.closest(".packs")) document.querySelector(".controls").append(box);
    }
    const holds = (part, what) => part.querySelector(`${what}:not([hidden])`) !== null;
    for (const card of document.querySelectorAll(".task, .pair, .pair > .card")) card.hidden = !holds(card, ".chart");
    for (const group of document.querySelectorAll(".group")) {
      group.hidden = !holds(group, "[data-control]");
      if (!group.hidden) group.open = true;
    }
    document.querySelector(".controls").hidden = !holds(document.querySelector(".controls"), "[data-control]");
    const known = boxes.map((box) => box.dataset.control);
    const unknown = [
      ...charts.filter((name) => !CHARTS.includes(name)).map((name) => `There is no chart “${name.slice(0, 40)}”: the charts are ${CHARTS.join(", ")}.`),
      ...controls.filter((name) => !known.includes(name)).map((name) => `There is no control “${name.slice(0, 40)}”, so it is left out.`),
    ];
    note.textContent = unknown.slice(0, 3).join(" ");
    note.hidden = !unknown.length;
  }

  function hear({ set, id, theme }) {
    if ((theme === "light" || theme === "dark") && theme !== page.dataset.theme) {
      page.dataset.theme = theme;
      repaint();
    }
    if (set === undefined) return;
    if (Number.isInteger(id)) asked = Math.max(asked, id);
    const changes = set?.constructor === Object ? Object.entries(set) : []; // else only to be answered
    const isOwn = ([name]) => name in FIRST;
    for (const [name, value] of changes.filter(isOwn)) put(view, name, value);
    if (changes.some(isOwn)) arrange();
    // A mission brings its own settings, in place of those that were.
    wanted = changes.some(([name]) => name === "mission") ? new URLSearchParams() : wanted ?? new URLSearchParams(share);
    for (const [name, value] of changes.filter((change) => !isOwn(change))) put(wanted, name, value);
    engine.open(String(wanted)); // also if nothing is to change: the answer tells that it is so
  }

  function showMission({ state, locks }) {
    byId("mission").hidden = !state.mission;
    const open = state.mission ? [...document.querySelectorAll(":is(.group, .packs, .controls) [data-control]")].map((box) => box.dataset.control).filter((name) => name !== "seed" && !locks[name]).join() : null;
    if (open === free) return;
    free = open;
    arrange();
  }

  return {
    stage: (stage) => host.tell("stage", { stage, text: TEXTS[stage] }),
    update(readout) {
      share = readout.share;
      link.href = `./?${share}`;
      showMission(readout);
      const isAnswered = !engine.busy && !engine.isWaiting;
      if (isAnswered) wanted = null;
      const tiles = Object.fromEntries(readout.tiles.map(({ key, value }) => [key, value]));
      host.tell("change", { state: readout.state, tiles, done: isAnswered ? asked : 0 });
    },
  };
}

function put(query, name, value) {
  if (value === null) query.delete(name);
  else if (["string", "number", "boolean"].includes(typeof value)) query.set(name, value);
}

// What the small view has and the page has not: a sentence for names that are none, and its foot.
function furnish() {
  const note = Object.assign(document.createElement("p"), { className: "embed-note", hidden: true });
  const foot = Object.assign(document.createElement("footer"), { className: "embed-foot" });
  const link = Object.assign(document.createElement("a"), { target: "_blank", rel: "noopener", textContent: "Open in the full lab" });
  link.href = `./${location.search}`.replace(/([?&])embed=1&?/, "$1");
  const evidence = Object.assign(document.createElement("span"), { textContent: document.querySelector(".evidence").textContent });
  foot.append(byId("status"), evidence, link);
  document.querySelector("main").prepend(note);
  document.querySelector("main").append(foot);
  document.querySelector(".controls").before(byId("mission"));
  byId("mission").hidden = true;
  document.querySelector(".controls").append(byId("seed").closest("[data-control]"), byId("error-seed"));
  return { note, link };
}

// The page around this one. What there is to tell waits until its origin is known: from the browser,
// else from its first message. Messages from anyone else, or not of this kind, are passed over.
function bindHost(hear) {
  if (parent === self) return { tell() {} };
  const newest = new Map();
  let origin = location.ancestorOrigins?.[0] ?? (document.referrer ? new URL(document.referrer).origin : null);
  const send = (message) => parent.postMessage(message, origin === "null" ? "*" : origin); // "null" cannot be addressed

  addEventListener("message", ({ source, origin: from, data }) => {
    if (source !== parent || data?.type !== TYPE || (origin !== null && from !== origin)) return;
    page.dataset.hosted = ""; // it makes the frame as high as this page
    if (origin === null) {
      origin = from;
      for (const message of newest.values()) send(message);
    }
    hear(data);
  });
  return {
    tell(event, content) {
      const message = { type: TYPE, event, ...content };
      newest.set(event, message);
      if (origin !== null) send(message);
    },
  };
}

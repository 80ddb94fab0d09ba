// The second tab: its inputs, its requests to Python, and what comes back.
import { drawStudy } from "./tracking-charts.js";
import { bindSteps } from "./tracking-steps.js";
import { copy, save } from "./share.js";
import { setText } from "./dom.js";

const REST_MS = 150; // a slider that rests so long is calculated in full
const HISTORY_MS = 600; // and makes an entry of the history after so long
const byId = (id) => document.getElementById(`st-${id}`);

// Fetch the words and the style of the tab, and bind them. `openTab` goes to another tab.
export async function openStudy(engine, address, openTab) {
  const panel = document.getElementById("panel-state-tracking");
  const [words] = await Promise.all([fetchText("state-tracking.html"), loadStyle("state-tracking.css")]);
  panel.innerHTML = words;
  const charts = await drawStudy(JSON.parse(byId("document").textContent), (settings) => set(settings));

  const knobs = [...panel.querySelectorAll("[data-knob]")];
  const kept = {}; // values between a slider's stops, from a link, until it is moved
  let link = null; // a link whose settings are to be shown
  let followed = String(new URLSearchParams(address.tab)); // the parts of the address that are shown
  let query = "";
  let isFine = false;
  let resting = null, writing = null;
  let asked = 0, underWay = 0; // requests are counted, so that each answer is known for its own
  const steps = bindSteps(panel, (program) => set({ program }));

  const values = () => Object.fromEntries(knobs.map((knob) => [knob.dataset.knob, read(knob)]));
  const parts = () => [["tab", "state-tracking"], ...new URLSearchParams(query)];
  const ask = () => {
    panel.dataset.settled = "false";
    asked += 1;
    panel.dataset.asked = asked;
    engine.ask(() => {
      underWay = asked;
      const request = { fine: isFine };
      if (link === null) request.values = values();
      else request.link = link;
      return request;
    });
  };

  // Something was moved: a first answer at once, and the whole one some time after it.
  function moved() {
    clearTimeout(resting);
    isFine = false;
    link = null;
    ask();
  }

  function rest() {
    clearTimeout(resting);
    resting = setTimeout(() => { isFine = true; ask(); }, REST_MS);
  }

  function read(knob) {
    const name = knob.dataset.knob;
    if (name in kept) return kept[name];
    if (knob.dataset.kind === "choice") return knob.querySelector("input:checked").value;
    const input = knob.querySelector("input, textarea");
    if (knob.dataset.kind === "slider") return stops(knob)[Number(input.value)];
    return input.value.trim();
  }

  // Put a value into its input.
  function put(name, value) {
    const knob = panel.querySelector(`[data-knob="${name}"]`);
    const input = knob.querySelector("input, textarea");
    delete kept[name];
    if (knob.dataset.kind === "choice") {
      for (const radio of knob.querySelectorAll("input")) radio.checked = radio.value === value;
    } else if (knob.dataset.kind === "slider") {
      const all = stops(knob);
      const apart = all.map((stop) => Math.abs(stop - value));
      input.value = apart.indexOf(Math.min(...apart));
      if (!all.includes(value)) kept[name] = value;
      showValue(knob);
    } else input.value = value;
    if (knob.matches("details") && value) knob.open = true; // a link's own curve is not hidden
  }

  function set(settings) {
    for (const [name, value] of Object.entries(settings)) put(name, value);
    moved();
  }

  function showValue(knob) {
    const input = knob.querySelector("input");
    const value = read(knob);
    const text = knob.dataset.unit === "%" ? `${Number((100 * value).toPrecision(4))} %` : value.toLocaleString("en-US");
    knob.querySelector("output").textContent = text;
    input.setAttribute("aria-valuetext", text);
    input.style.setProperty("--fill", `${(100 * input.value) / input.max}%`);
  }

  for (const knob of knobs) {
    if (knob.dataset.kind === "slider") showValue(knob);
    const isTyped = ["number", "text"].includes(knob.dataset.kind);
    knob.addEventListener(isTyped ? "change" : "input", () => {
      delete kept[knob.dataset.knob];
      if (knob.dataset.kind === "slider") showValue(knob);
      moved();
    });
  }

  panel.addEventListener("click", ({ target }) => {
    const data = target.closest("button")?.dataset ?? {};
    if (data.stCsv) engine.act("study-csv", data.stCsv);
    if (data.stImage) saveImage(data.stImage, data.type);
    if (data.use) {
      engine.act("reading", data.use);
      openTab("");
      for (const id of ["packs-fold", "pack-reading"]) document.getElementById(id).open = true;
      document.getElementById("pack-reading").scrollIntoView({ block: "nearest" });
    }
  });
  byId("curve-clear").addEventListener("click", () => set({ curve: "" }));
  byId("reset").addEventListener("click", () => { link = ""; isFine = true; ask(); });
  byId("new-seed").addEventListener("click", () => {
    const [drawn] = crypto.getRandomValues(new Uint32Array(1));
    set({ seed: 1 + (drawn % 999999) });
  });
  byId("copy").addEventListener("click", () => {
    write(true);
    copy(address.link(), "The link is copied.");
  });
  byId("notice-close").addEventListener("click", () => { byId("notice").hidden = true; });

  async function saveImage(name, type) {
    save(`state-tracking-${name}.${type}`, await charts.image(`st-${name}`, type));
  }

  function write(replace) {
    clearTimeout(writing);
    if (address.tab.length === 0) return; // the first tab is shown
    address.setTab(parts(), replace);
    followed = String(new URLSearchParams(address.tab));
  }

  const repaint = () => charts.paint();
  new MutationObserver(repaint).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

  function showReply(reply) {
    setText(byId("lead"), reply.lead);
    setText(byId("rest"), reply.rest);
    setText(byId("partly"), reply.partly);
    setText(byId("seed-says"), reply.seed_says);
    setText(byId("source"), reply.source);
    setText(byId("error"), reply.error && `${reply.error} The last valid setting is shown.`);
    byId("error").hidden = !reply.error;
    setText(byId("curve-error"), reply.curve_error && `${reply.curve_error} The last curve is shown.`);
    byId("curve-error").hidden = !reply.curve_error;
    byId("curve").setAttribute("aria-invalid", String(Boolean(reply.curve_error)));
    if (reply.notice !== undefined) {
      setText(byId("notice-text"), reply.notice);
      byId("notice").hidden = !reply.notice;
    }
    for (const rule of panel.querySelectorAll("[data-when]")) rule.hidden = !reply.when.includes(rule.dataset.when);
    for (const knob of knobs) {
      const why = reply.resting[knob.dataset.knob] ?? "";
      knob.classList.toggle("resting", Boolean(why));
      for (const input of knob.querySelectorAll("input")) input.disabled = Boolean(why);
      if (knob.dataset.kind === "slider") {
        if (why) setText(knob.querySelector("output"), why);
        else showValue(knob);
      }
    }
    if (reply.is_fine) setText(byId("announcer"), reply.lead + reply.rest);
    if (reply.program) steps.show(reply.program);
    for (const [name, html] of Object.entries(reply.tables ?? {})) {
      const place = panel.querySelector(`[data-st-table="${name}"]`);
      if (place.innerHTML !== html) place.innerHTML = html;
    }
    for (const [name, text] of Object.entries(reply.alt)) document.getElementById(`chart-st-${name}`).setAttribute("aria-label", text);
  }

  return {
    parts,

    show(reply) {
      const answered = underWay;
      const isNewest = answered === asked;
      if (reply.values && isNewest) {
        for (const [name, value] of Object.entries(reply.values)) put(name, value);
        link = null;
        panel.querySelector(".controls").inert = false;
      }
      charts.feed(reply.feeds);
      panel.dataset.drawn = "";
      showReply(reply);
      const isAnOldLink = query === reply.query;
      query = reply.query;
      if (reply.values) write(true);
      else if (!isAnOldLink) {
        clearTimeout(writing);
        writing = setTimeout(write, HISTORY_MS, false);
      }
      if (!reply.is_fine && isNewest) rest();
      requestAnimationFrame(() => setTimeout(() => {
        panel.dataset.shown = answered;
        panel.dataset.settled = String(reply.is_fine && answered === asked);
      }));
    },

    // The address has changed, or the tab is shown again.
    follow() {
      const now = String(new URLSearchParams(address.tab));
      if (now === followed) return;
      followed = now;
      if (now === "" || String(new URLSearchParams(parts())) === now) return; // only shown again
      link = now;
      isFine = true;
      ask();
    },

    // Another worker has taken over, and knows nothing yet of this tab.
    restarted() {
      isFine = false;
      ask();
    },

    trouble(sentence) {
      setText(byId("error"), sentence);
      byId("error").hidden = false;
    },
  };
}

const stops = (knob) => (knob.stops ??= JSON.parse(knob.dataset.stops));

async function fetchText(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name} answered ${response.status}`);
  return response.text();
}

function loadStyle(name) {
  const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href: new URL(name, import.meta.url).href });
  return new Promise((resolve, reject) => {
    link.addEventListener("load", resolve);
    link.addEventListener("error", () => reject(new Error(`${name} could not be loaded`)));
    document.head.append(link);
  });
}

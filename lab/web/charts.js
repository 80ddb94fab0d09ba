// Draws the document's figures into the page, paints them in its colours, moves the cursor.
import { byId } from "./dom.js";
import { drawOnce, takeNoStyles } from "./lean.js";

const NARROW = 520;
const REACH = 16; // pixels
const NEAR = "150px";
const REST_MS = 150;

// What a model of a figure gets, by the kind of the feed.
const GIVE = {
  set: (model, properties) => model.setv(properties),
  data: (source, columns) => { source.data = columns; },
  more: (source, columns) => source.stream(columns),
};

let current = null;

// Draw a document; whatever was drawn before goes. Resolves when everything is painted once.
// `reading` is what the cursor reads, by step and by fact.
export async function draw(json, reading) {
  current?.remove();
  const { Bokeh } = window;
  // The document is made first and drawn then, so that it is painted in the right scheme at once.
  const { Document } = Bokeh.require("document/document");
  const { add_document_standalone } = Bokeh.require("embed/standalone");
  takeNoStyles(Bokeh.require("core/visuals"));
  const doc = Document.from_json(json);
  const places = doc.roots().map((root) => byId(`chart-${root.name}`));
  paint(doc);
  const views = await add_document_standalone(doc, document.body, places);
  drawOnce(views, doc);
  const byName = new Map([...doc.all_models].map((model) => [model.name, model]));
  const named = (name) => byName.get(name);
  const cursors = ["context", "lives"].map((name) => named(`${name}-cursor`));

  const charts = {
    document: doc,
    apply(patch) { doc.apply_json_patch(patch); },
    // What figures now show, by the names of their models and sources.
    feed({ set, data, more }) {
      for (const [name, properties] of Object.entries(set)) show(named(name), "set", properties);
      for (const [name, columns] of Object.entries(data)) show(named(`${name}-data`), "data", columns);
      for (const [name, columns] of Object.entries(more)) show(named(`${name}-data`), "more", columns);
      charts.settled(true);
    },
    settled(isSettled) {
      clearTimeout(rest);
      if (isSettled) rest = setTimeout(catchUp, REST_MS);
    },
    // The axis of steps changes with the task; a cursor beyond its end comes back to it.
    read(texts) {
      reading = texts;
      byId("cursor").max = texts.steps.length - 1;
      if (position !== null) moveCursor(Math.min(position, texts.steps.length - 1));
    },
    paint: () => paint(doc),
    async image(name, type) {
      catchUp();
      await new Promise((done) => setTimeout(done)); // Bokeh takes new data in several steps
      return views.get_one(named(name)).export(type).to_blob();
    },
    moveCursor,
    remove() {
      resizing.disconnect();
      watching.disconnect();
      clearTimeout(rest);
      for (const view of [...views.roots]) view.remove();
    },
  };

  let position = null;
  function moveCursor(step, story = "") {
    const texts = reading.steps;
    position = Math.max(0, Math.min(step, texts.length - 1));
    for (const cursor of cursors) Object.assign(cursor, { location: position, visible: true });
    const text = texts[position] + (story ? ` ${story}` : "");
    byId("cursor").value = position;
    byId("cursor").setAttribute("aria-valuetext", text);
    byId("cursor-text").textContent = text;
  }

  named("context").on_event("mousemove", ({ x }) => moveCursor(Math.round(x)));
  named("context").on_event("tap", ({ x }) => moveCursor(Math.round(x)));
  for (const kind of ["mousemove", "tap"]) {
    named("lives").on_event(kind, ({ x, y }) => moveCursor(Math.round(x), reading.facts[Math.round(y)]));
  }
  for (const name of ["visited", "agents"]) {
    named(name).on_event("mousemove", (event) => {
      const { data } = named(`${name}-data`);
      const index = nearest(views.get_one(named(name)).frame, data, event);
      if (index >= 0) byId(`${name}-text`).textContent = data.text[index];
    });
  }
  named("agents").on_event("tap", (event) => {
    const { data } = named("agents-data");
    const index = nearest(views.get_one(named("agents")).frame, data, event);
    if (index >= 0) document.dispatchEvent(new CustomEvent("lab-agent", { detail: data.id[index] }));
  });
  // Two quick clicks, on two points, arrive as a tap and a double tap.
  for (const kind of ["tap", "doubletap"]) {
    named("visited").on_event(kind, (event) => {
      const index = nearest(views.get_one(named("visited")).frame, named("visited-data").data, event);
      if (index >= 0) document.dispatchEvent(new CustomEvent("lab-restore", { detail: index }));
    });
  }

  // Where the money goes has more rows with caching.
  doc.roots().forEach((root, index) => {
    root.properties.height?.change.connect(() => { places[index].style.height = `${root.height}px`; });
  });

  const resizing = new ResizeObserver(() => fit(doc));
  resizing.observe(byId("chart-context"));
  // A figure out of sight gets what it has to show when it comes into sight or the settings rest, not
  // at every move of a slider. What two figures share is in sight if one of them is.
  const unseen = new Set();
  const roots = new Map([...doc.all_models].map((model) => [model, []]));
  for (const root of doc.roots()) for (const model of root.references()) roots.get(model).push(root);
  const waiting = new Map(); // by model: only the newest counts, but what is added adds up
  let rest = null;
  function show(model, kind, values) {
    const late = waiting.get(model);
    if (!roots.get(model).every((root) => unseen.has(root))) GIVE[kind](model, values);
    else if (kind === "more" && late) {
      for (const [name, column] of Object.entries(values)) late.values[name].push(...column);
    } else waiting.set(model, { kind, values });
  }
  function catchUp() {
    for (const [model, { kind, values }] of waiting) {
      waiting.delete(model);
      GIVE[kind](model, values);
    }
  }
  const watching = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const root = doc.roots()[places.indexOf(target)];
      if (isIntersecting) unseen.delete(root);
      else unseen.add(root);
    }
    if (entries.some(({ isIntersecting }) => isIntersecting)) catchUp();
  }, { rootMargin: NEAR });
  for (const place of places.filter(Boolean)) watching.observe(place);

  fit(doc);
  charts.read(reading);
  current = charts;
  return charts;
}

// The visited setting whose point is nearest to a tap or a pointer, if one is within reach of a finger.
function nearest(frame, { cost, success }, { sx, sy }) {
  let found = -1, least = REACH;
  for (let index = 0; index < cost.length; index += 1) {
    const away = Math.hypot(frame.x_scale.compute(cost[index]) - sx, frame.y_scale.compute(success[index]) - sy);
    if (away < least) [found, least] = [index, away];
  }
  return found;
}

// Every coloured model says what its colours mean: {property: meaning}, in its tags.
export function paint(doc) {
  const style = getComputedStyle(document.documentElement);
  const colour = (meaning) => style.getPropertyValue(`--${meaning}`).trim();
  for (const model of doc.all_models) {
    for (const tag of model.tags ?? []) {
      if (tag?.constructor !== Object && !(tag instanceof Map)) continue;
      for (const [name, meaning] of tag instanceof Map ? tag : Object.entries(tag)) {
        model[name] = Array.isArray(meaning) ? meaning.map(colour) : colour(meaning);
      }
    }
  }
}

// On a narrow page: fewer ticks and larger text, rather than a shrunken chart.
function fit(doc) {
  const narrow = byId("chart-context").clientWidth < NARROW;
  for (const width of ["wide", "narrow"]) {
    doc.get_model_by_name(`agents-words-${width}`).visible = (width === "narrow") === narrow;
  }
  for (const name of ["context", "lives", "visited", "agents"]) {
    for (const axis of [...doc.get_model_by_name(name).below, ...doc.get_model_by_name(name).left]) {
      if (name === "context" || name === "lives") axis.ticker.desired_num_ticks = narrow ? 4 : 6;
      axis.major_label_text_font_size = narrow ? "13px" : "12px";
    }
  }
}

// Draws the second tab's figures, and reads them with pointer, finger and keys.
import { paint } from "./charts.js";
import { byId } from "./dom.js";

const NARROW = 520;

// Resolves when they are painted, still without data. `choose` takes the settings of a cell that is picked.
export async function drawStudy(json, choose) {
  const { Bokeh } = window;
  const { Document } = Bokeh.require("document/document");
  const { add_document_standalone } = Bokeh.require("embed/standalone");
  const doc = Document.from_json(json);
  const places = doc.roots().map((root) => byId(`chart-${root.name}`));
  for (const place of places) place.replaceChildren();
  paint(doc);
  const views = await add_document_standalone(doc, document.body, places);
  const named = (name) => doc.get_model_by_name(name);
  const lengths = named("st-band-data");
  const texts = named("st-readings-data");
  let position = null;

  function read(index) {
    const last = texts.data.text.length - 1;
    if (last < 0) return; // there is nothing to read yet
    position = Math.max(0, Math.min(index, last));
    const text = texts.data.text[position];
    Object.assign(named("st-curves-cursor"), { location: lengths.data.x[position], visible: true });
    Object.assign(byId("st-cursor"), { max: last, value: position });
    byId("st-cursor").setAttribute("aria-valuetext", text);
    byId("st-cursor-text").textContent = text;
  }

  const nearest = (x) => {
    const away = [...lengths.data.x].map((length) => Math.abs(Math.log(length / x)));
    return away.indexOf(Math.min(...away));
  };
  byId("st-cursor").oninput = ({ target }) => read(Number(target.value));
  for (const kind of ["mousemove", "tap"]) named("st-curves").on_event(kind, ({ x }) => read(nearest(x)));
  named("st-map").on_event("tap", ({ sx, sy }) => {
    const { frame } = views.get_one(named("st-map"));
    const column = Math.floor(frame.x_scale.invert(sx)), row = Math.floor(frame.y_scale.invert(sy));
    const { target_rate, rate } = named("st-map-data").data;
    const columns = named("st-map").x_range.factors.length;
    const cell = row * columns + column;
    if (cell in target_rate) choose({ target_rate: target_rate[cell], rate: rate[cell] });
  });

  // On a narrow page: fewer marks and larger text, rather than a shrunken chart.
  function fit() {
    const narrow = byId("chart-st-curves").clientWidth < NARROW;
    for (const name of ["st-curves", "st-shares", "st-map"]) {
      for (const axis of [...named(name).below, ...named(name).left]) axis.major_label_text_font_size = narrow ? "11px" : "12px";
    }
    named("st-map").renderers[1].glyph.text_font_size = { value: narrow ? "10.5px" : "12px" };
  }
  new ResizeObserver(fit).observe(byId("chart-st-curves"));
  fit();

  return {
    // New columns of some sources, by their names.
    feed(feeds) {
      for (const [name, columns] of Object.entries(feeds)) named(`st-${name}-data`).data = whole(columns);
      byId("st-cursor").max = texts.data.text.length - 1;
      if (position !== null) read(position);
    },
    paint: () => paint(doc),
    image: (name, type) => views.get_one(named(name)).export(type).to_blob(),
  };
}

// JSON has no number for the place where a line is broken.
const whole = (columns) => Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.map((each) => each ?? NaN)]));

// Spares Bokeh's figures work whose result nobody sees here: two fifths of painting one.

// Figures take their colours from their models, as charts.js paints them, never from style sheets;
// asking these for each colour, width and font makes the browser style the page in between.
export function takeNoStyles({ VisualProperties }) {
  VisualProperties.prototype._get_css_value = () => "";
}

// Nothing here can be selected, muted or thinned out. The glyphs that Bokeh keeps ready for that need
// not take the data that the one takes which is drawn.
const IDLE = { set_data() {}, set_visuals() {}, after_visuals() {}, map_data() {} };

export function drawOnce(views, doc) {
  for (const model of doc.all_models) {
    const view = model.type === "GlyphRenderer" ? views.find_one(model) : null;
    if (!view) continue;
    for (const glyph of [view.decimated_glyph, view.selection_glyph, view.nonselection_glyph, view.muted_glyph]) {
      Object.assign(glyph, IDLE);
    }
  }
}

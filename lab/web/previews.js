// Finds the preview of a state for embed.js. A plain script of a site, loaded by pages of other hosts:
// it must leave nothing behind but what it hands to `labPreviews`. The build calls it with its data.
(({ template, shelves, starts }) => {
  const base = document.currentScript.src.replace(/previews\.js$/, "");
  const hand = self.labPreviews;
  const loading = [];
  // The shelves are scripts too, and put here what is on them.
  const known = (self.labPreviews = { known: {} }).known;

  // What the lab would make of the parts of a query: see lab/share.py and lab/previews.py.
  function asLinked(parts) {
    const start = starts[parts.get("mission") ?? ""] ?? {};
    const words = { on: "true", yes: "true", 1: "true", off: "false", no: "false", 0: "false" };
    const text = (name, value) => (/^(true|false)$/.test(starts[""][name]) && words[value.toLowerCase()]) || (/^\d*\.?\d+$/.test(value) && String(Number(value))) || value;
    const isLocked = (name) => parts.has("mission") && name in starts[""] && !(name in start);
    const kept = [...parts].map(([name, value]) => [name, text(name, value.trim())])
      .filter(([name, value]) => name !== "v" && name !== "theme" && !isLocked(name) && start[name] !== value);
    return String(new URLSearchParams(kept));
  }

  function shelf(query) {
    let number = 0;
    for (const character of query) number = (31 * number + character.charCodeAt()) % 65536;
    return number % shelves;
  }

  const load = (number) => (loading[number] ??= new Promise((done) => {
    const file = document.createElement("script");
    file.onload = file.onerror = done;
    file.src = `${base}previews/${number}.js`;
    document.head.append(file);
  }));

  // The preview of a state, or an honest word and false: then the lab itself has to calculate it.
  hand(async (asked) => {
    const parts = new URLSearchParams(asked);
    parts.delete("charts"); // for the embed alone
    parts.delete("controls");
    const query = asLinked(parts);
    await load(shelf(query));
    const link = base + (String(parts) && `?${parts}`);
    const escaped = link.replaceAll("&", "&amp;");
    const row = known[query];
    if (row) return [[...row, escaped].reduce((html, piece, place) => html.replace(`{${place}}`, () => piece), template), true];
    return [`<p>These numbers are calculated when the lab is loaded. <a href="${escaped}">Open the lab</a></p>`, navigator.connection?.saveData === true];
  });
})

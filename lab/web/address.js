// The address of the page says what it shows: kept up to date, and followed when it changes.

const REST_MS = 600; // one entry of the history for each setting that was rested at
const OWN = ["theme", "embed", "controls", "charts", "unlock"]; // what is the page's, not Python's
const isOfTab = (name) => name === "tab" || name.startsWith("st."); // the second tab and its settings

export function bindAddress(engine, followScheme, followTab) {
  let current = null; // what Python last said it shows
  let waiting = null;
  let followed = location.search;
  let replaces = true; // the answer to an opened link stands in for it
  let tab = tabParts(followed);

  // What an address says of the second tab, and the rest of it.
  function tabParts(search) {
    return [...new URLSearchParams(search)].filter(([name]) => isOfTab(name));
  }

  function firstParts(search) {
    return String(new URLSearchParams([...new URLSearchParams(search)].filter(([name]) => !isOfTab(name))));
  }

  // The page's own parts of the address, as it stands now.
  function own() {
    const parts = new URLSearchParams(location.search);
    return OWN.filter((name) => parts.has(name)).map((name) => [name, parts.get(name)]);
  }

  // The query for what is shown, with its question mark; nothing for the default.
  function query() {
    const parts = new URLSearchParams(current ?? firstParts(location.search)); // a link may still wait
    const isSet = tab.some(([name]) => name !== "tab");
    if ([...parts.keys()].join() === "v" && !isSet) parts.delete("v");
    for (const [name, value] of [...own(), ...tab]) parts.set(name, value);
    return parts.size ? `?${parts}` : "";
  }

  function write(replace) {
    followed = query();
    if (followed === location.search) return;
    // In a frame, an entry of its own would take the reader's way back from the page around it.
    const isEmbedded = document.documentElement.dataset.embed !== undefined;
    try {
      history[replace || isEmbedded ? "replaceState" : "pushState"](null, "", (followed || location.pathname) + location.hash);
    } catch { /* some frames, and some browsers after many changes, refuse: then it stays */ }
  }

  addEventListener("popstate", () => {
    if (location.search === followed) return; // only to another place of this page
    const before = followed;
    followed = location.search;
    tab = tabParts(followed);
    clearTimeout(waiting);
    followScheme();
    followTab();
    if (firstParts(before) !== firstParts(followed)) open();
  });

  // A setting is rested at when nothing more is on its way to be shown.
  function rest() {
    waiting = setTimeout(() => (engine.busy || engine.isWaiting ? rest() : write(false)), REST_MS);
  }

  function open() {
    replaces = true;
    engine.open(location.search);
  }

  return {
    // Whether the page was opened by a link to a state, which then is on its way.
    openIfLinked() {
      const isLinked = [...new URLSearchParams(location.search).keys()].some((name) => !OWN.includes(name) && !isOfTab(name));
      if (isLinked || own().length || tab.length) open();
      return isLinked;
    },
    // The parts of the second tab, as pairs; none while the first is shown.
    get tab() { return tab; },
    setTab(parts, replace) {
      tab = parts;
      write(replace);
    },
    // Python shows this state now.
    show(share) {
      if (share === current && !replaces) return;
      current = share;
      clearTimeout(waiting);
      if (replaces) write(true);
      else rest();
      replaces = false;
    },
    // A part of the page's own, such as its scheme; it makes no entry of the history.
    setOwn(name, value) {
      const url = new URL(location.href);
      if (value === null) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
      followed = url.search;
      try { history.replaceState(null, "", url); } catch { /* then it stays */ }
    },
    // The whole link, also when a change has not rested yet.
    link() {
      const url = new URL(location.href);
      url.search = query();
      url.searchParams.delete("unlock"); // that is between the reader and this page
      return url.href;
    },
  };
}

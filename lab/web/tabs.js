// The two tabs of the page. Scripts, words and Python of the second come when it is first opened.
import { byId } from "./dom.js";

const STUDY = "state-tracking";

export function bindTabs(engine, address) {
  const isEmbedded = document.documentElement.dataset.embed !== undefined;
  const tabs = [...document.querySelectorAll("[role=tab]")];
  let loading = null;
  let study = null;
  const shown = () => (address.tab.some(([name, value]) => name === "tab" && value === STUDY) ? STUDY : "");

  function select(name) {
    for (const tab of tabs) {
      const isSelected = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", String(isSelected));
      tab.tabIndex = isSelected ? 0 : -1;
      const panel = byId(tab.getAttribute("aria-controls"));
      panel.hidden = !isSelected;
      if (panel.parentElement !== document.body) panel.parentElement.hidden = !isSelected;
    }
    document.documentElement.dataset.tab = name;
    document.querySelector(".skip").href = name ? "#st-sentence" : "#sentence";
    document.querySelector(".bar .evidence").href = name ? "#st-about" : "#assumptions";
    if (!name) return;
    if (loading === null) {
      const panel = byId(`panel-${STUDY}`); // it gets a landmark of its own, once it holds anything
      const main = Object.assign(document.createElement("main"), { className: "tracking" });
      panel.before(main);
      main.append(panel);
      // Python starts on its part while the words are fetched.
      engine.ask(() => ({ link: String(new URLSearchParams(address.tab)) }));
      loading = import("./tracking.js").then(({ openStudy }) => openStudy(engine, address, open));
    }
    loading.then((opened) => {
      study = opened;
      study.follow();
    }).catch((error) => {
      const panel = byId(`panel-${STUDY}`);
      panel.innerHTML = "<p class=failure role=alert>This tab cannot be shown: a file of it is missing or damaged. Reload the page; if that does not help, build the site again.</p>";
      panel.dataset.detail = String(error);
    });
  }

  // Go to a tab, as a step that the browser's way back undoes.
  function open(name) {
    if (name === shown()) return;
    address.setTab(name ? study?.parts() ?? [["tab", name]] : [], false);
    select(name);
  }

  for (const tab of tabs) tab.addEventListener("click", () => open(tab.dataset.tab));
  document.addEventListener("click", ({ target }) => {
    const link = target.closest("[data-open-tab]");
    if (!link) return;
    open(link.dataset.openTab);
    tabs.find((tab) => tab.dataset.tab === link.dataset.openTab).focus();
    scrollTo(0, 0);
  });
  // Arrow keys move between the tabs; Enter or Space opens one, since opening may load something.
  tabs[0].parentElement.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    const at = tabs.indexOf(document.activeElement);
    const next = Math.abs(steps) === 1 ? (at + steps + tabs.length) % tabs.length : Math.max(0, Math.min(tabs.length - 1, at + steps));
    tabs[next].focus();
  });
  if (!isEmbedded && shown()) select(STUDY);

  // Once the files are there; that they are missing is told where they are fetched.
  const later = (what) => loading?.then(what, () => {});

  return {
    follow: () => { if (!isEmbedded) select(shown()); },
    show: (reply) => later((opened) => opened.show(reply)),
    restarted: () => later((opened) => opened.restarted()),
    trouble: (sentence) => study?.trouble(sentence),
  };
}

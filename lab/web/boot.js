// The page's main script: draws what the build calculated, starts Python, and joins the two.
import { draw } from "./charts.js";
import { bindActions, setStatus } from "./actions.js";
import { bindControls } from "./controls.js";
import { Engine } from "./engine.js";
import { whyNotHere } from "./guard.js";
import { showFailure, showNotice, showReadout, showTrouble } from "./readout.js";
import { bindAddress } from "./address.js";
import { bindMissions, celebrate, keepProgress, opening, showCard } from "./missions.js";
import { bindShare, showReplies } from "./share.js";
import { bindAgents, showAgents } from "./agents.js";
import { bindPanels, openPanels, showPanels } from "./panels.js";
import { bindEmbed } from "./embedded.js";
import { bindTabs } from "./tabs.js";
import { keepSite } from "./offline.js";

const STAGES = {
  runtime: "Not live yet: loading Python, 1 of 3. What you set now is kept.",
  packages: "Not live yet: starting Python, 2 of 3. What you set now is kept.",
  app: "Not live yet: starting the lab, 3 of 3. What you set now is kept.",
  live: "Live.",
  failed: "Not live: see the message at the top.",
};

const LINKED = "These are the results of the default setting; those of the link come when Python is live. ";

const page = document.documentElement;
const data = JSON.parse(document.getElementById("page-data").textContent);

let isLinked = false; // the page was opened by a link whose results are not there yet
const engine = new Engine(self.starter, data.signature, {
  stage(name) {
    page.dataset.stage = name;
    setStatus(isLinked && STAGES[name].startsWith("Not live yet") ? LINKED + STAGES[name] : STAGES[name]);
    embed.stage(name);
  },
  rested: keepSite,
  update({ patch, feeds, readout, study, notice, progress, celebrate: isWon, ...replies }) {
    if (study) tabs.show(study);
    if (!readout) return; // the second tab alone has asked
    if (patch) charts.apply(patch);
    charts.feed(feeds);
    charts.read(readout.reading);
    controls.fill(readout.fields);
    isLinked = false;
    showReadout(readout);
    showCard(readout.mission);
    showPanels(readout);
    showAgents(readout.agents);
    address.show(readout.share);
    if (notice !== undefined) showNotice(notice);
    if (progress !== undefined && !keepProgress(progress)) {
      showNotice("This browser does not let the page keep your progress. It lasts until the page is closed; save it as a file to keep it.");
    }
    if (isWon) celebrate();
    showReplies(replies);
    embed.update(readout);
    setStatus(`Live. ${readout.tasks.toLocaleString("en-US")} tasks, the same for every setting.`);
  },
  settled(isSettled) {
    page.dataset.settled = String(isSettled);
    charts?.settled(isSettled);
  },
  async restarting() {
    charts = await draw(data.document, data.reading);
    controls.attach(charts.document);
    tabs.restarted();
  },
  earlyValues: () => controls.early(),
  forgetEarly: () => controls.forgetEarly(),
  opening,
  openTables: () => [...document.querySelectorAll("[data-table][open]")].map((each) => each.dataset.table),
  openPanels,
  slow() {
    // As long as the text before it, so that nothing below it moves.
    setStatus("Still loading Python. A slow connection takes minutes.");
  },
  calculating: () => setStatus("Calculating…"),
  failed: showFailure,
  trouble(sentence) {
    showTrouble(sentence);
    tabs.trouble(sentence);
    setStatus(STAGES.live);
  },
});

let charts = null;
const controls = bindControls(engine);
const address = bindAddress(engine, followScheme, () => tabs.follow());
bindActions(engine, () => charts, address);
bindMissions(engine);
bindPanels(engine);
bindAgents(engine);
bindShare(engine, () => charts, address);
const embed = bindEmbed(engine, () => charts?.paint());
const tabs = bindTabs(engine, address);

function followScheme() {
  const linked = new URLSearchParams(location.search).get("theme");
  if (linked !== "light" && linked !== "dark") return;
  page.dataset.theme = linked;
  charts?.paint();
}

isLinked = address.openIfLinked();
document.querySelector(".result").classList.toggle("stale", isLinked);

const reason = whyNotHere();
if (reason) engine.fail(reason, "");
else engine.start();

document.addEventListener("DOMContentLoaded", async () => {
  if (!window.Bokeh) {
    engine.fail("The charts' script is missing or damaged. Reload the page; if that does not help, build the site again.", "static/bokeh.min.js");
    return;
  }
  try {
    charts = await draw(data.document, data.reading);
    controls.attach(charts.document);
  } catch (error) {
    const hasStyle = getComputedStyle(page).getPropertyValue("--card"); // a colour that charts need
    const what = hasStyle ? "a script of Bokeh" : "the style sheet lab.css";
    engine.fail(`The charts cannot be drawn: ${what} is missing or damaged. Reload the page; if that does not help, build the site again.`, String(error));
    return;
  }
  performance.mark("lab-drawn");
  engine.pageReady();
});
addEventListener("pagehide", (event) => { if (!event.persisted) engine.stop(); });

// The link to the worker. One message is under way at a time; while it is, newer values replace
// older ones, so the newest always wins and nothing queues up behind a dragged slider.

// Without a sign of life for this long while it owes an answer, the worker is gone. The seconds are
// counted, not measured: a laptop that slept in between has not waited.
const SILENCE_S = 10;
const RESTARTS = 2;
const SLOW_START_MS = 45000; // with a wrongly served .wasm, Pyodide waits without an end

export class Engine {
  // `starter` is start.js's: it launches workers, and has launched the first.
  constructor(starter, signature, page) {
    this.starter = starter;
    this.launched = starter?.first;
    this.signature = signature;
    this.page = page;
    this.live = false;
    this.isDrawn = false;
    this.isPythonReady = false;
    this.busy = false;
    this.failedFor = null;
    this.restarts = 0;
    this.sent = 0;
    this.link = null;
    this.values = {};
    this.actions = [];
    this.study = null;
    this.memory = { baseline: {}, mission: "", visits: [] };
  }

  start() {
    this.page.stage("runtime");
    this.live = false;
    if (!this.starter) {
      this.fail("A script of this page, or one that it needs, is missing or damaged: start.js. Reload the page; if that does not help, build the site again.", "Python was not started");
      return;
    }
    const cannot = "Python could not be started: a file of this site is missing or damaged. Reload the page; if that does not help, build the site again.";
    try {
      if (!this.launched || this.restarts) this.launched = this.starter.launch(!this.restarts);
    } catch (error) {
      this.fail(cannot, String(error));
      return;
    }
    clearTimeout(this.slowStart);
    this.slowStart = setTimeout(() => this.page.slow(), SLOW_START_MS);
    const { worker, early } = this.launched;
    worker.onmessage = ({ data }) => {
      if (!this.failedFor) this[`on_${data.type}`](data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.fail(cannot, `${event.message ?? "the worker did not load"} ${event.filename ?? ""}`);
    };
    for (const event of early) worker[`on${event.type}`](event);
  }

  stop() {
    this.launched?.worker.terminate();
    clearInterval(this.watchdog);
    clearTimeout(this.slowStart);
  }

  // The page is drawn, so that Python can join it.
  pageReady() {
    this.isDrawn = true;
    this.join();
  }

  join() {
    if (!this.isDrawn || !this.isPythonReady) return;
    this.isPythonReady = false;
    this.live = true;
    clearTimeout(this.slowStart);
    const { visits, baseline, mission } = this.memory;
    if (this.link !== null && this.restarts) this.page.forgetEarly(); // the link replaces it all
    Object.assign(this.values, this.page.earlyValues()); // what was moved meanwhile is not lost
    if (this.restarts) {
      const resumed = this.link === null ? { visits, baseline, mission } : { visits };
      this.actions.unshift(["resume", resumed], ["tables", this.page.openTables()], ["panels", this.page.openPanels()]);
    }
    this.actions.unshift(...this.page.opening());
    this.page.stage("live");
    performance.mark("lab-live");
    this.flush(true);
  }

  // A control has a new value; a newer one replaces it until it can be sent.
  set(name, value) {
    this.values[name] = value;
    this.flush();
  }

  // Go to the state of a link; it replaces whatever was set before it.
  open(query) {
    this.link = query;
    this.values = {};
    this.flush();
  }

  // A request of the second tab: what makes it, when it can be sent. Each is whole, so the newest counts.
  ask(request) {
    this.study = request;
    this.flush();
  }

  get isWaiting() {
    return this.link !== null || this.study !== null || Object.keys(this.values).length > 0 || this.actions.length > 0;
  }

  act(name, value = null) {
    this.actions.push([name, value]);
    this.flush();
  }

  // Send what waits, if nothing is under way; `anyway` asks for an answer even if nothing waits.
  flush(anyway = false) {
    this.page.settled(false);
    if (!this.live || this.busy || !(this.isWaiting || anyway)) {
      this.tellSettled();
      return;
    }
    const message = { values: this.values, actions: this.actions };
    if (this.link !== null) message.link = this.link;
    if (this.study !== null) message.study = this.study();
    this.study = null;
    this.link = null;
    this.values = {};
    this.actions = [];
    this.busy = true;
    this.underWay = message;
    this.sent += 1;
    this.launched.worker.postMessage({ type: "message", id: this.sent, body: JSON.stringify(message) });
    this.silent = 0;
    this.watchdog = setInterval(() => {
      this.silent += 1;
      if (this.silent >= SILENCE_S) this.restart("no answer");
    }, 1000);
  }

  tellSettled() {
    if (this.live && !this.busy && !this.isWaiting) {
      // Bokeh paints in the next frame, before this; the task after it finds the frame painted.
      const sent = this.sent;
      requestAnimationFrame(() => setTimeout(() => {
        if (this.live && !this.busy && sent === this.sent) this.page.settled(true);
      }));
    }
  }

  // The worker has died or hangs: start another and bring it to where this one was.
  async restart(detail) {
    this.stop();
    this.busy = false;
    if (this.restarts >= RESTARTS) {
      this.fail("The calculation stopped and could not be started again. Reload the page; with fewer tasks it needs less memory.", detail);
      return;
    }
    this.restarts += 1;
    this.isDrawn = false;
    this.values = {};
    this.link ??= this.underWay?.link ?? null;
    this.actions = [...(this.underWay?.actions ?? []), ...this.actions];
    this.start();
    await this.page.restarting();
    this.pageReady();
  }

  fail(sentence, detail) {
    if (this.failedFor) return; // the first cause is the one that explains
    this.failedFor = sentence;
    this.live = false;
    this.stop();
    this.page.stage("failed");
    this.page.failed(sentence, detail);
  }

  on_stage({ stage }) {
    this.page.stage(stage);
  }

  on_live({ signature, isResumed }) {
    if (isResumed) performance.mark("lab-resumed");
    if (JSON.stringify(signature) !== JSON.stringify(this.signature)) {
      this.fail("The page and its Python do not belong together. Reload the page without its cache; if that does not help, build the site again.", "the documents differ");
      return;
    }
    this.isPythonReady = true;
    this.join();
  }

  on_rest() {
    this.page.rested();
  }

  on_answer({ id, body }) {
    this.answered();
    this.restarts = 0;
    this.show(body);
    this.flush();
    this.tellSettled();
    performance.mark(`lab-answer-${id}`);
  }

  answered() {
    clearInterval(this.watchdog);
    this.busy = false;
    this.underWay = null;
  }

  on_beat() {
    this.silent = 0;
    this.page.calculating();
  }

  on_progress({ body }) {
    this.show(body);
  }

  show(body) {
    const update = JSON.parse(body);
    if (update.readout) {
      const { baseline, mission, visits } = update.readout.memory;
      Object.assign(this.memory, { baseline, mission });
      this.memory.visits.push(...visits);
    }
    this.page.update(update);
  }

  on_failed({ sentence, detail }) {
    this.fail(sentence, detail);
  }

  // Python could not answer this message; it still holds the last good state.
  on_error({ detail }) {
    this.answered();
    console.error(detail);
    this.page.trouble("The calculation ran into an error with this setting. The last good one is shown; choose another.");
    this.flush();
  }
}

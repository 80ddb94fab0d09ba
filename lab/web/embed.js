// A preview; on request, the lab.
(() => {
const type = "compaction-lab";
const base = new URL("./", (document.currentScript ?? document.querySelector("[src*='embed.js']")).src);
const usual = /^(id|class|style|title|lang|dir|role|hidden|loading)$|-/;
const look = `<style>:host{display:block;position:relative;margin:1em 0}[hidden]{display:none}
button{font:inherit;color:inherit;background:none;border:1px solid;border-radius:8px;padding:.5em 1em;cursor:pointer}
iframe{display:block;width:100%;border:0;border-radius:12px}
[inert]{position:absolute;top:0;height:100%!important;opacity:0}
i{position:absolute;transition:color 1ms;background:color-mix(in srgb,currentColor,currentColor)}
@media print{p,iframe{display:none}div{display:block!important}}</style>
<i></i><div><slot></slot><p><button>Try it here</button> <span role="status"></span></div>
<iframe title="Context Compaction Lab" inert></iframe>`;
let previews;

function build(element) {
  const root = element.attachShadow({ mode: "open" });
  root.innerHTML = look;
  const [ink, box, slot, button, status, frame] = root.querySelectorAll(":not(style,p)");
  const asked = [];
  let last = null, ready;

  const theme = () => getComputedStyle(ink).backgroundColor.match(/[\d.]+/g)[1] > 0.5 ? "dark" : "light";
  const post = (message) => ready?.then(() => frame.contentWindow.postMessage({ type, ...message }, base.origin));

  function query() {
    const parts = new URLSearchParams();
    for (const { name, value } of element.attributes) if (!usual.test(name)) parts.set(name, value);
    parts.sort();
    return parts;
  }

  function load() {
    if (ready) return;
    ready = new Promise((done) => { frame.onload = done; });
    frame.src = `${base}?embed=1&theme=${theme()}&${query()}`;
    post({ theme: theme() });
  }

  const idle = () => new IntersectionObserver(([seen]) => {
    if (seen.isIntersecting) (self.requestIdleCallback ?? setTimeout)(load);
  }).observe(element);

  async function preview() {
    previews ??= new Promise((done) => { // needs no CORS
      const file = document.createElement("script");
      self.labPreviews = done;
      file.onerror = () => done(() => [""]);
      file.src = base + "previews.js";
      document.head.append(file);
    });
    const parts = `${query()}`;
    const [html, isKnown] = await (await previews)(parts);
    if (parts !== `${query()}`) return; // too late
    element.textContent = "";
    slot.innerHTML = html;
    if (!isKnown) idle();
  }

  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== base.origin || data?.type !== type) return;
    const { stage, text, height, state, tiles, done } = data;
    if (height) frame.style.height = `${height}px`;
    if (stage) status.textContent = text;
    if (!state && stage !== "failed") return;
    const hadFocus = root.activeElement;
    box.hidden = true;
    frame.inert = false;
    if (hadFocus === button) frame.focus();
    if (state) last = { state, tiles };
    for (const answer of asked.slice(0, done)) answer(last);
    if (state) element.dispatchEvent(new CustomEvent("change", { bubbles: true, detail: last }));
  });
  new MutationObserver((changes) => {
    for (const { attributeName: name } of changes) {
      if (usual.test(name)) continue;
      post({ set: { [name]: element.getAttribute(name) } });
      if (!ready) preview();
    }
  }).observe(element, { attributes: true });
  ink.ontransitionend = () => post({ theme: theme() });
  button.onclick = load;
  if (!element.textContent.trim()) preview();
  if (element.matches("[loading=idle]")) idle();

  element.load = load;
  element.get = () => last;
  element.set = (values) => {
    load();
    return new Promise((done) => post({ set: values, id: asked.push(done) }));
  };
}

customElements.get(type) ?? customElements.define(type, class extends HTMLElement {
  connectedCallback() {
    if (!this.shadowRoot) build(this);
  }
});
})();

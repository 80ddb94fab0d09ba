// <compaction-lab>: shows the preview that it holds.
customElements.define("compaction-lab", class extends HTMLElement {});

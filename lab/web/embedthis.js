// *Embed this*: the lines that put the lab, as it stands, into another page.

const byId = (id) => document.getElementById(id);

export function bindEmbedThis(engine) {
  byId("embed-this").addEventListener("click", () => engine.act("snippet", new URL("./", location.href).href));
  byId("embed-close").addEventListener("click", () => byId("embed-dialog").close());
  byId("embed-copy").addEventListener("click", async () => {
    const code = byId("embed-code");
    try {
      await navigator.clipboard.writeText(code.value);
      byId("embed-said").textContent = "Copied.";
    } catch { // not allowed here: then by hand
      code.select();
      byId("embed-said").textContent = "This browser does not let the page copy. The text is selected: copy it with the keyboard.";
    }
  });
}

// Python has made the lines.
export function showSnippet(snippet) {
  if (!snippet) return;
  byId("embed-code").value = snippet;
  byId("embed-said").textContent = "";
  if (!byId("embed-dialog").open) byId("embed-dialog").showModal();
}

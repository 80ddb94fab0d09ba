// Keeps the site in the browser, so that a second visit needs no network. The build calls this with
// the sha256s that each file may have.
//
// Each version has a store of its own, named by the folder that its pages load from. It is complete
// once the pages are in it, which come last. An earlier version goes when none of its pages is open:
// the browser lets this script take over no sooner.
((files) => {
  const root = self.registration.scope;
  const folder = /^lab-[0-9a-f]{12}\//;
  const isLoaded = (name) => folder.test(name); // by a page, which itself keeps its name
  const own = root + folder.exec(Object.keys(files).find(isLoaded))[0];
  const stores = async () => (await caches.keys()).filter((name) => name.startsWith(root) && isLoaded(name.slice(root.length)));

  self.addEventListener("install", (event) => event.waitUntil(keepAll()));
  self.addEventListener("activate", (event) => event.waitUntil(begin()));
  self.addEventListener("fetch", (event) => {
    const { method, url } = event.request;
    if (method === "GET" && url.startsWith(root)) event.respondWith(answer(event.request));
  });

  // A file from the newest version that has it. No two versions share the address of a file that a
  // page loads; a page is the newest that is here whole.
  async function answer(request) {
    const address = request.url.replace(/[?#].*/s, "");
    const name = address === root ? `${root}index.html` : address;
    for (const store of (await stores()).reverse()) {
      const kept = await (await caches.open(store)).match(name);
      if (kept) return kept;
    }
    return fetch(request);
  }

  async function keepAll() {
    const store = await caches.open(own);
    const before = await keptBefore();
    const pages = [];
    for (const [name, sums] of Object.entries(files)) {
      const address = root + name;
      const kept = await store.match(address);
      if (kept && isLoaded(name) && sums.includes(await sum(kept))) continue;
      const same = sums.map((each) => before.get(each)).find(Boolean);
      const response = same ? again(await same()) : await fetched(address, isLoaded(name), sums);
      if (isLoaded(name)) await store.put(address, response);
      else pages.push([address, response]);
    }
    for (const [address, response] of pages) await store.put(address, response);
  }

  async function fetched(address, isLasting, sums) {
    for (const cache of isLasting ? ["force-cache", "reload"] : ["no-cache"]) {
      const response = await fetch(address, { cache });
      if (response.ok && sums.includes(await sum(response.clone()))) return response;
    }
    throw new Error(`${address} is not of this version`); // then all stays as it was
  }

  // What other versions have, by checksum: it need not come again.
  async function keptBefore() {
    const found = new Map();
    for (const name of await stores()) {
      if (name === own) continue;
      const store = await caches.open(name);
      for (const request of (await store.keys()).filter(({ url }) => !url.includes("?"))) { // not Python's memory
        found.set(await sum(await store.match(request)), () => store.match(request));
      }
    }
    return found;
  }

  // The same file at a new address: a response that was fetched would tell a script its old one.
  const again = (response) => new Response(response.body, { headers: response.headers });

  async function sum(response) {
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", await response.arrayBuffer()));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  async function begin() {
    for (const name of await stores()) if (name !== own) await caches.delete(name);
    await self.clients.claim();
  }
})

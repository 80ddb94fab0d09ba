// Writes to the page. What is as it was is left alone: to write it again costs a new layout, and a
// screen reader says it again.

export const byId = (id) => document.getElementById(id);

export function setText(element, text) {
  if (element.textContent === text) return;
  const { firstChild: node, childNodes } = element;
  if (childNodes.length === 1 && node.nodeType === Node.TEXT_NODE) node.data = text; // it keeps its place
  else element.textContent = text;
}

export function put(element, properties) {
  for (const [name, value] of Object.entries(properties)) if (element[name] !== value) element[name] = value;
}

export function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

// One program, stepped through: which line set, changed or invalidated the queried variable.

const byId = (id) => document.getElementById(`st-${id}`);

// `choose` takes the number of another program.
export function bindSteps(panel, choose) {
  let program = null;
  let at = 0;

  // Mark the step's line, and bring it into sight in its own box, not on the page.
  function go(index) {
    const { steps } = program;
    at = Math.max(0, Math.min(index, steps.length - 1));
    byId("step-before").disabled = at <= 0;
    byId("step-after").disabled = at >= steps.length - 1;
    byId("step").textContent = steps.length ? steps[at].text : `No line gives ${program.query} a value.`;
    const lines = byId("lines");
    lines.querySelector("[aria-current]")?.removeAttribute("aria-current");
    byId("steps").querySelector("[aria-current]")?.removeAttribute("aria-current");
    if (!steps.length) return;
    const line = lines.querySelector(`[data-line="${steps[at].line}"]`);
    line.setAttribute("aria-current", "step");
    lines.scrollTop = line.offsetTop - lines.clientHeight / 2;
    const button = byId("steps").children[at].firstElementChild;
    button.setAttribute("aria-current", "step");
    byId("steps").scrollTop = button.offsetTop - byId("steps").clientHeight / 2;
  }

  byId("step-before").addEventListener("click", () => go(at - 1));
  byId("step-after").addEventListener("click", () => go(at + 1));
  byId("steps").addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button) go([...byId("steps").children].indexOf(button.parentElement));
  });
  const number = panel.querySelector('[data-knob="program"] input');
  byId("program-before").addEventListener("click", () => choose(Number(number.value) - 1));
  byId("program-after").addEventListener("click", () => choose(Number(number.value) + 1));

  return {
    show(next) {
      const isSame = program?.lines === next.lines;
      program = next;
      byId("program-title").textContent = next.title;
      byId("loss").textContent = next.loss;
      byId("program-before").disabled = next.is_first;
      byId("program-after").disabled = next.is_last;
      if (byId("state").innerHTML !== next.state) byId("state").innerHTML = next.state;
      if (isSame) return;
      byId("lines").innerHTML = next.lines;
      byId("steps").replaceChildren(...next.steps.map(({ line, kind, mark }) => {
        const item = document.createElement("li");
        const button = Object.assign(document.createElement("button"), { type: "button", className: kind, textContent: `${line}: ${mark}` });
        item.append(button);
        return item;
      }));
      go(next.steps.length - 1);
    },
  };
}

// Binds the page's own inputs to the models of Panel's widgets, in both directions. A text field has
// no widget: of it, Python is told what was typed, and tells what it has to show.

const inputs = {
  slider: {
    attr: "value",
    read: (box) => Number(box.querySelector("input").value),
    write: (box, value) => {
      const input = box.querySelector("input");
      fitRange(input, value);
      input.value = value;
      showValue(box);
    },
  },
  switch: {
    attr: "active",
    read: (box) => box.querySelector("input").checked,
    write: (box, value) => { box.querySelector("input").checked = value; },
  },
  choice: {
    attr: "active",
    read: (box) => Number(box.querySelector("input:checked").value),
    write: (box, value) => { box.querySelector(`input[value="${value}"]`).checked = true; },
  },
  number: {
    attr: "value",
    read: (box) => box.querySelector("input").value.trim(),
    write: (box, value) => { box.querySelector("input").value = value; },
  },
};

// A link may bring a value between the slider's steps, or beyond its ends: the model allows more.
function fitRange(input, value) {
  input.dataset.step ??= input.step;
  const steps = (value - Number(input.min)) / Number(input.dataset.step);
  const isOnStep = Math.abs(steps - Math.round(steps)) < 1e-6;
  input.step = isOnStep ? input.dataset.step : "any";
  if (value < Number(input.min)) input.min = value;
  if (value > Number(input.max)) input.max = value;
}

export function bindControls(engine) {
  const boxes = [...document.querySelectorAll("[data-control]")];
  const models = new Map();

  for (const box of boxes) {
    const kind = inputs[box.dataset.kind];
    if (box.dataset.kind === "slider") showValue(box);
    // Typed text counts when it is finished; everything else at once.
    box.addEventListener(box.dataset.kind === "number" ? "change" : "input", (event) => {
      if (event.target.tagName !== "INPUT") return;
      if (box.dataset.kind === "slider") {
        event.target.step = event.target.dataset.step ?? event.target.step; // moved: in steps again
        showValue(box);
      }
      send(box, kind.read(box));
    });
  }

  function send(box, value) {
    const model = models.get(box);
    if (!model) return; // too early: `early` will find it
    const { attr } = inputs[box.dataset.kind];
    model[attr] = value;
    engine.set(box.dataset.control, sent(box, model));
  }

  // What Panel's widget calls its value: of a choice it is the option, not its place.
  function sent(box, model) {
    const value = model[inputs[box.dataset.kind].attr];
    return box.dataset.kind === "choice" ? model.labels[value] : value;
  }

  return {
    // The widgets' models, as the document holds them.
    attach(doc) {
      const widgets = doc.get_model_by_name("controls").args;
      for (const box of boxes) {
        const { attr, write, read } = inputs[box.dataset.kind];
        const model = widgets[box.dataset.control] ?? { value: box.querySelector("input").defaultValue };
        models.set(box, model);
        // Python may set a control too, when a setting is restored.
        model.properties?.[attr].change.connect(() => {
          if (read(box) !== model[attr]) write(box, model[attr]);
        });
      }
    },

    // What text fields have to show.
    fill(fields) {
      for (const [name, text] of Object.entries(fields)) {
        const box = boxes.find((each) => each.dataset.control === name);
        models.get(box).value = text;
        if (inputs.number.read(box) !== text) inputs.number.write(box, text);
      }
    },

    // Show what the document holds, whatever was set.
    forgetEarly() {
      for (const [box, model] of models) {
        const { attr, write } = inputs[box.dataset.kind];
        write(box, model[attr]);
      }
    },

    // What was set before Python was there: all that differs from the document's own values.
    early() {
      const values = {};
      for (const [box, model] of models) {
        const { attr, read } = inputs[box.dataset.kind];
        const value = read(box);
        if (value !== model[attr]) {
          model[attr] = value;
          values[box.dataset.control] = sent(box, model);
        }
      }
      return values;
    },
  };
}

export function setField(name, value) {
  const input = document.getElementById(name);
  input.value = value;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

export function showValue(box) {
  const input = box.querySelector("input");
  const value = Number(input.value);
  const unit = input.dataset.unit;
  const text = unit === "%" ? `${Number((100 * value).toPrecision(4))} %` : `${value.toLocaleString("en-US")} ${unit}`;
  if (!box.classList.contains("resting")) box.querySelector("output").textContent = text;
  input.setAttribute("aria-valuetext", text);
  const share = (value - Number(input.min)) / (Number(input.max) - Number(input.min));
  input.style.setProperty("--fill", `${100 * share}%`);
}

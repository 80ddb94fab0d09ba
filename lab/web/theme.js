// Runs before the first paint, so that a chosen scheme never flashes. Storage may be blocked.
try {
  const chosen = localStorage.getItem("lab-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch { /* the system's scheme then */ }

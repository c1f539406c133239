// Runs before anything is drawn, so that a chosen theme never flashes. A classic script: modules run too late.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("takeback.theme");
  } catch {
    // Storage is forbidden here: the system's colours it is.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();

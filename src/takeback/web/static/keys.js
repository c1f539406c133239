/** Keys of a page: said once, bound once, shown in the help. Nothing is taken while somebody types or a dialog is open. */

/** @typedef {{keys: string[], words: string, run: (event: KeyboardEvent) => void, everywhere: boolean}} Binding */

/** @type {Binding[]} */
const bindings = [];

/**
 * @param {string[]} keys
 * @param {string} words for the help; empty: not in it
 * @param {(event: KeyboardEvent) => void} run
 * @param {boolean} [everywhere] whether it is the same on every page
 */
export function bind(keys, words, run, everywhere = false) {
  bindings.push({ keys, words, run, everywhere });
}

/** Everything that is bound, for the help: the page's own keys first. */
export function bound() {
  return bindings.filter((each) => each.words).sort((a, b) => Number(a.everywhere) - Number(b.everywhere));
}

function typing(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio], [type=range]), textarea, select"));
}

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector("dialog[open]") || typing(event.target)) return;
  const found = bindings.find((each) => each.keys.includes(event.key));
  // Enter and space belong to what has the focus, if that is a button or a link.
  if (!found || ((event.key === "Enter" || event.key === " ") && event.target instanceof HTMLElement && event.target.matches("button, a, summary, input"))) return;
  event.preventDefault();
  found.run(event);
});

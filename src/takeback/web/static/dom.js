/**
 * Elements made by hand. Everything that comes from snapshots goes through here as text or as an attribute, never as markup.
 *
 * Hooks for tests, as data-test="…"; they stay:
 *   every page   trouble hint command copy root status read-only theme help help-dialog nav-timeline nav-store nav-operations toast toast-undo toast-close
 *   timeline     scroller list row present original row-title row-counts row-agent row-time news panel
 *                filter-text filter-session filter-agent filter-part filter-actions filter-lanes filter-clear
 *                (a row also has data-kind, data-snapshot, data-move, data-lane, and data-undone, data-pinned if it is)
 *   actions      act-open act-diff act-present act-restore act-undo act-fork act-pin act-label act-drop act-promote act-redo act-save
 *   snapshot     snapshot snapshot-id part label label-remove changed-file not-captured missed browse browse-entry outline context
 *   diff         diff tab-files tab-memory tab-container tab-team side unified diff-list-item diff-file (data-path) diff-line
 *                restore-file image-before image-after conversation message team-change state-change left-out
 *   drawer       drawer plan-group plan-item plan-check plan-problem conflict kept outside note hint confirm cancel
 *                plan-shared progress working stop mode-since mode-restore changed-world
 *   dialogs      ask ask-field ask-ok ask-cancel
 *   store        store figure plot share policy ; operations: operations operation more
 */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node|string|number|null|undefined|false} Child */

/**
 * An element. `class`, `test` (data-test), `on…` (listeners), booleans and everything else as attributes; never markup.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child|Child[])} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * The same for SVG.
 * @param {string} tag
 * @param {Record<string, any>} [attributes]
 * @param {...(Child|Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "test") made.setAttribute("data-test", value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.flat(Infinity).filter(shown).map(node));
  return made;
}

const shown = (child) => child !== null && child !== undefined && child !== false && child !== "";
const node = (child) => (child instanceof Node ? child : document.createTextNode(String(child)));

/** Put these in place of everything that is in there. */
export function put(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(shown).map(node));
  return parent;
}

/** @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no #${id} on this page`);
  return found;
}

/** Lines that are not there yet: as wide as given, in percent. */
export function bones(...widths) {
  return el(
    "div",
    { class: "bones", "aria-hidden": "true" },
    widths.map((width) => {
      const bone = el("span", { class: "bone" });
      bone.style.width = `${width}%`;
      return bone;
    }),
  );
}

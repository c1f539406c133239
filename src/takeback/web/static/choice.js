/** What of a plan is chosen: a box for each item and, with three states, for each part. */
import { el } from "./dom.js";

/** @typedef {import("./types.js").Group} Group */

export class Choice {
  /** @param {Group[]} groups @param {() => void} changed */
  constructor(groups, changed) {
    this.groups = groups;
    this.changed = changed;
    /** @type {Map<string, Set<string>>} the chosen paths of each part */
    this.chosen = new Map(groups.map((group) => [group.part, new Set(group.items.map((item) => item.path))]));
    /** @type {(() => void)[]} */
    this.watching = [];
  }

  get some() {
    return this.groups.some((group) => this.chosen.get(group.part).size > 0);
  }

  get all() {
    return this.groups.every((group) => this.chosen.get(group.part).size === paths(group).size);
  }

  /** The choice as /api/plan wants it. A directory that is chosen without all that is in it is left out: its name means
   * everything below it. */
  wanted() {
    const parts = this.groups.filter((group) => this.chosen.get(group.part).size > 0);
    const partial = parts.filter((group) => !group.whole && this.chosen.get(group.part).size < paths(group).size);
    const named = partial.map((group) => {
      const chosen = this.chosen.get(group.part);
      const left = group.items.map((item) => item.path).filter((path) => !chosen.has(path));
      return [group.part, [...chosen].filter((path) => !left.some((other) => other.startsWith(`${path}/`)))];
    });
    return { only: parts.length < this.groups.length ? parts.map((group) => group.part) : null, paths: named.length ? Object.fromEntries(named) : null };
  }

  #set(part, paths, wanted) {
    const chosen = this.chosen.get(part);
    for (const path of paths) wanted ? chosen.add(path) : chosen.delete(path);
    for (const look of this.watching) look();
    this.changed();
  }

  /** The box of a part. @param {Group} group */
  partBox(group) {
    const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", test: "plan-check", "aria-label": `All of ${group.part}` }));
    box.addEventListener("change", () => this.#set(group.part, paths(group), box.checked));
    this.#watch(() => {
      const { size } = this.chosen.get(group.part);
      box.checked = size === paths(group).size;
      box.indeterminate = size > 0 && !box.checked;
    });
    return box;
  }

  /** The box of an item; what only goes as a whole has none. @param {Group} group @param {{path: string}} item */
  itemBox(group, item) {
    if (group.whole) return el("span", { class: "no-box" });
    const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", test: "plan-check", "aria-label": item.path }));
    box.addEventListener("change", () => this.#set(group.part, [item.path], box.checked));
    this.#watch(() => {
      box.checked = this.chosen.get(group.part).has(item.path);
    });
    return box;
  }

  #watch(look) {
    this.watching.push(look);
    look();
  }
}

function paths(group) {
  return new Set(group.items.map((item) => item.path));
}

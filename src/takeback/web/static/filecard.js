/** One file of a diff: its head, and below it lines, pictures, or why there are none. */
import { READ_ONLY, address, get } from "./api.js";
import { bones, el, put } from "./dom.js";
import { icon } from "./icons.js";
import { imagePair } from "./images.js";
import { drawSides } from "./sides.js";
import { troubleNotice } from "./trouble.js";
import { size } from "./words.js";

const CONTEXTS = [3, 15, 100_000];
const STATUS = { added: "added", deleted: "deleted", modified: "", mode: "mode", type: "kind" };

export class FileCard {
  /** @param {any} file @param {any} how @param {(sides: any) => void} counted */
  constructor(file, how, counted) {
    this.file = file;
    this.how = how;
    this.counted = counted;
    this.context = 0;
    this.numbers = el("span", { class: "number card-counts" });
    this.body = el("div", { class: "file-body" }, el("div", { class: "file-wait" }, bones(52, 76, 38, 64)));
    this.more = el("button", { type: "button", class: "button small plain", hidden: true, onclick: () => this.#wider() }, "More context");
    const fold = el("button", { type: "button", class: "icon-button", "aria-label": `Fold ${file.path}`, "aria-expanded": "true" }, icon("down", "small"));
    fold.addEventListener("click", () => {
      this.body.hidden = !this.body.hidden;
      fold.setAttribute("aria-expanded", String(!this.body.hidden));
    });
    const why = how.readOnly ? READ_ONLY : "";
    const restore = how.restore ? el("button", { type: "button", class: "button small", test: "restore-file", "aria-disabled": why ? "true" : null, title: why || "Put it back as it was before", onclick: () => why || how.restore(file) }, icon("back", "small"), "Restore this file") : null;
    this.box = el(
      "article",
      { class: "file card", test: "diff-file", "data-path": file.path, "data-part": file.part },
      el("header", { class: "file-head" }, fold, el("h2", { class: "mono", tabindex: "-1" }, file.path), STATUS[file.status] ? el("span", { class: `badge status-${file.status}` }, STATUS[file.status]) : null, this.numbers, el("span", { class: "file-tools" }, this.more, restore)),
      this.body,
    );
  }

  /** Fetch it, once. */
  load() {
    this.loading ??= this.#fetch();
    return this.loading;
  }

  async #fetch() {
    try {
      this.sides = await get("/api/diff/file", { ...this.how.where, part: this.file.part, path: this.file.path, context: CONTEXTS[this.context] });
      this.counted(this.sides);
      this.draw();
    } catch (error) {
      put(this.body, troubleNotice(error));
    }
  }

  async #wider() {
    this.context = Math.min(this.context + 1, CONTEXTS.length - 1);
    this.loading = null;
    await this.load();
  }

  draw() {
    const { sides } = this;
    if (!sides) return;
    put(this.numbers, sides.added ? el("span", { class: "plus" }, `+${sides.added}`) : null, sides.removed ? el("span", { class: "minus" }, ` −${sides.removed}`) : null);
    this.more.hidden = !sides.hunks.length || this.context === CONTEXTS.length - 1 || oneSided(sides);
    put(this.more, this.context === 0 ? "More context" : "Whole file");
    const note = sides.note && !(sides.image && !sides.hunks.length) ? el("p", { class: "file-note quiet" }, sides.note) : null;
    if (sides.image && !sides.hunks.length) put(this.body, this.#images(sides));
    else put(this.body, note, drawSides(sides.hunks, oneSided(sides) ? "unified" : this.how.mode, !oneSided(sides)));
  }

  #images(sides) {
    const { lane, a, b } = this.how.where;
    const raw = (ref) => address("/api/raw", { lane, ref, part: this.file.part, path: this.file.path });
    return imagePair({
      path: this.file.path,
      before: sides.before_size === null ? null : { url: raw(a), words: size(sides.before_size) },
      after: sides.after_size === null ? null : { url: raw(b), words: size(sides.after_size) },
    });
  }
}

/** There is nothing on the other side: half of the room would be empty. */
function oneSided(sides) {
  return sides.status === "added" || sides.status === "deleted";
}

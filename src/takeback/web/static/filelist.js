/** The files of a diff: a list on the left, cards on the right. A card is fetched when it comes near; its lines come in pieces. */
import { encoded } from "./api.js";
import { el, put } from "./dom.js";
import { FileCard } from "./filecard.js";
import { SIGNS } from "./panel.js";
import { fileName } from "./words.js";

const NEAR = "600px";
const FIRST_CARDS = 40;

export class FileList {
  /**
   * @param {HTMLElement} into
   * @param {any[]} files
   * @param {{where: Record<string, any>, mode: string, restore: ((file: any) => void)|null, readOnly: boolean}} how
   */
  constructor(into, files, how) {
    this.files = files;
    this.how = how;
    /** @type {FileCard[]} */
    this.cards = [];
    this.at = -1;
    this.nav = el("ul", { class: "file-nav" });
    this.stack = el("div", { class: "file-stack" });
    const filter = el("input", { class: "field", type: "search", placeholder: "Filter files", "aria-label": "Filter files", oninput: () => this.#filter(filter.value) });
    put(into, el("div", { class: "file-columns" }, el("nav", { class: "file-side", "aria-label": "Files" }, files.length > 8 ? filter : null, this.nav), this.stack));
    this.near = new IntersectionObserver((seen) => this.#seen(seen), { rootMargin: NEAR });
    this.#more();
    const wanted = location.hash.slice(1);
    if (wanted) requestAnimationFrame(() => this.go(this.files.findIndex((file) => encoded(file.path) === wanted)));
  }

  get current() {
    return this.files[Math.max(0, this.at)];
  }

  /** Make cards for the next files; thousands of them are not made at once. */
  #more(upTo = this.cards.length + FIRST_CARDS) {
    for (const file of this.files.slice(this.cards.length, upTo)) {
      const index = this.cards.length;
      const card = new FileCard(file, this.how, (sides) => this.#counted(index, sides));
      this.cards.push(card);
      this.stack.append(card.box);
      card.box.dataset.index = String(index);
      this.near.observe(card.box);
      this.nav.append(this.#navItem(file, index));
    }
    this.rest?.remove();
    const left = this.files.length - this.cards.length;
    if (left > 0) {
      this.rest = el("button", { type: "button", class: "button", onclick: () => this.#more() }, `Show more files (${left.toLocaleString("en")} left)`);
      this.stack.append(this.rest);
    }
  }

  #navItem(file, index) {
    const [sign, style] = SIGNS[file.status] ?? ["M", "name"];
    const directory = file.path.slice(0, file.path.length - fileName(file.path).length);
    const link = el("a", { href: `#${encoded(file.path)}`, test: "diff-list-item", "data-path": file.path, title: file.path }, el("b", { class: `sign ${style}`, title: file.status }, sign), el("span", { class: "path" }, el("span", { class: "quiet" }, directory), el("bdi", {}, fileName(file.path))), el("span", { class: "nav-counts number" }));
    link.addEventListener("click", (event) => {
      event.preventDefault();
      this.go(index);
    });
    return el("li", {}, link);
  }

  #counted(index, sides) {
    const place = this.nav.children[index]?.querySelector(".nav-counts");
    if (place && (sides.added || sides.removed)) put(place, el("span", { class: "plus" }, `+${sides.added}`), " ", el("span", { class: "minus" }, `−${sides.removed}`));
  }

  #filter(text) {
    const wanted = text.toLowerCase();
    if (wanted) this.#more(this.files.length);
    this.cards.forEach((card, index) => {
      const hidden = !card.file.path.toLowerCase().includes(wanted);
      card.box.hidden = hidden;
      /** @type {HTMLElement} */ (this.nav.children[index]).hidden = hidden;
    });
  }

  #seen(entries) {
    for (const entry of entries) if (entry.isIntersecting) this.cards[Number(entry.target.dataset.index)].load();
  }

  setMode(mode) {
    this.how.mode = mode;
    for (const card of this.cards) card.draw();
  }

  step(by) {
    this.go(Math.max(0, Math.min(this.files.length - 1, this.at + by)));
  }

  /** Bring a file's card to the top. */
  go(index) {
    if (index < 0) return;
    while (index >= this.cards.length) this.#more();
    this.at = index;
    for (const each of this.nav.querySelectorAll("a")) each.removeAttribute("aria-current");
    const link = this.nav.children[index]?.querySelector("a");
    link?.setAttribute("aria-current", "true");
    link?.scrollIntoView({ block: "nearest" });
    const card = this.cards[index];
    card.load();
    card.box.scrollIntoView({ block: "start" });
    card.box.querySelector("h2")?.focus({ preventScroll: true });
    history.replaceState(null, "", `#${encoded(card.file.path)}`);
  }
}

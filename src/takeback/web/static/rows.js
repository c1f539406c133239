/**
 * A list of any length: rows of one height, of which only those in sight exist, and are used again as one scrolls. One row has the
 * focus (roving tabindex); what is looked at stays in place when rows arrive above it.
 */
import { el } from "./dom.js";

const BEYOND = 8;

export class VirtualList {
  /**
   * @param {HTMLElement} scroller
   * @param {{label: string, make: () => HTMLElement, fill: (made: HTMLElement, index: number) => void, choose: (index: number) => void,
   *   open: (index: number) => void, seen: (first: number, last: number) => void}} how
   */
  constructor(scroller, how) {
    this.scroller = scroller;
    this.how = how;
    this.length = 0;
    this.cursor = 0;
    this.height = 40;
    /** @type {Map<number, HTMLElement>} */
    this.shown = new Map();
    /** @type {HTMLElement[]} */
    this.spare = [];
    this.box = el("div", { class: "rows", role: "listbox", "aria-label": how.label, test: "list" });
    scroller.append(this.box);
    scroller.addEventListener("scroll", () => this.#later(), { passive: true });
    new ResizeObserver(() => this.measure()).observe(scroller);
    this.box.addEventListener("click", (event) => this.#clicked(event, how.choose));
    this.box.addEventListener("dblclick", (event) => this.#clicked(event, how.open));
  }

  /** Take the height of a row from the style sheet. */
  measure() {
    const height = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--row")) || 40;
    if (height !== this.height) {
      this.scroller.scrollTop *= height / this.height;
      this.height = height;
    }
    this.draw(true);
  }

  /** There are so many rows now; `above` of them came on top. */
  resize(length, above = 0) {
    const reading = this.scroller.scrollTop > this.height / 2;
    this.length = length;
    this.box.style.height = `${length * this.height}px`;
    if (above && reading) this.scroller.scrollTop += above * this.height;
    if (above) this.cursor += this.cursor > 0 ? above : 0;
    this.draw(true);
    return reading;
  }

  #later() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw(false);
    });
  }

  /** Show what is in sight; `again` fills rows anew that are shown already. */
  draw(again) {
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / this.height) - BEYOND);
    const last = Math.min(this.length - 1, Math.ceil((this.scroller.scrollTop + this.scroller.clientHeight) / this.height) + BEYOND);
    for (const [index, made] of this.shown) {
      const held = made === document.activeElement && index < this.length;
      if ((index < first || index > last) && !held) {
        this.shown.delete(index);
        made.hidden = true;
        this.spare.push(made);
      }
    }
    for (let index = first; index <= last; index += 1) this.#show(index, again);
    this.how.seen(first, last);
  }

  #show(index, again) {
    let made = this.shown.get(index);
    if (made && !again) return;
    if (!made) {
      made = this.spare.pop() ?? this.box.appendChild(this.how.make());
      made.hidden = false;
      this.shown.set(index, made);
    }
    made.style.transform = `translateY(${index * this.height}px)`;
    made.dataset.index = String(index);
    made.setAttribute("aria-posinset", String(index + 1));
    made.setAttribute("aria-setsize", String(this.length));
    made.setAttribute("aria-selected", String(index === this.cursor));
    made.tabIndex = index === this.cursor ? 0 : -1;
    this.how.fill(made, index);
  }

  /** Fill one row again, if it is shown. */
  refill(index) {
    const made = this.shown.get(index);
    if (made) this.how.fill(made, index);
  }

  /** Move the cursor there, and the focus if wanted. */
  move(index, focus = true) {
    if (!this.length) return;
    const before = this.cursor;
    this.cursor = Math.max(0, Math.min(this.length - 1, index));
    this.#intoSight();
    this.draw(false);
    for (const each of [before, this.cursor]) if (this.shown.has(each)) this.#show(each, true);
    if (focus) this.shown.get(this.cursor)?.focus({ preventScroll: true });
  }

  /** Have the cursor there without scrolling: rows have moved below it. The focus goes along, if it was on a row. */
  point(index) {
    const { focused } = this;
    this.cursor = index;
    this.draw(true);
    if (focused) this.shown.get(index)?.focus({ preventScroll: true });
  }

  /** Whether the focus is on a row. */
  get focused() {
    return this.box.contains(document.activeElement);
  }

  get page() {
    return Math.max(1, Math.floor(this.scroller.clientHeight / this.height) - 1);
  }

  #intoSight() {
    const top = this.cursor * this.height;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top;
    else if (top + this.height > scrollTop + clientHeight) this.scroller.scrollTop = top + this.height - clientHeight;
  }

  #clicked(event, act) {
    const made = event.target instanceof Element ? event.target.closest("[data-index]") : null;
    if (made instanceof HTMLElement) act(Number(made.dataset.index));
  }
}

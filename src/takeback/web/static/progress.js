/** How far work has come: a line of words and a bar, in the drawer and in the corner; and work that goes on beside the page. */
import { byId, el, put } from "./dom.js";
import { cancel, follow } from "./jobs.js";
import { failed } from "./toast.js";

/** What is quicker than this, in milliseconds, is not told of. */
const MOMENT = 400;
/** Phases in which the present is still being saved. */
const BEFORE = new Set(["scan", "store"]);

export class Progress {
  /** @param {string} words before anything is known; `saves`: it begins with saving the present */
  constructor(words, { saves = false } = {}) {
    this.saves = saves;
    /** Whether it cannot be stopped any more. */
    this.isLast = false;
    this.words = el("p", { class: "quiet number" }, words);
    this.bar = /** @type {HTMLProgressElement} */ (el("progress", { test: "progress", "aria-label": "Progress" }));
    this.box = el("div", { class: "going" }, this.words, this.bar);
  }

  /** @param {import("./types.js").Job} job */
  tell(job) {
    if (job.state !== "running" || !job.words) return;
    const { phase = "", done = 0, total = null } = job.progress ?? {};
    const begun = this.saves && BEFORE.has(phase) && job.words !== "stopping";
    put(this.words, begun ? `Saving the present: ${job.words}` : `${job.words.charAt(0).toUpperCase()}${job.words.slice(1)}…`);
    this.isLast = phase === "place";
    if (total) {
      this.bar.max = total;
      this.bar.value = Math.min(done, total);
    } else this.bar.removeAttribute("value");
  }
}

/** Something that goes on: if it takes longer than a moment, the corner says how far it is, and stops it. */
export class Going {
  /** @param {string} title */
  constructor(title) {
    this.progress = new Progress("Looking at what is there…");
    this.stop = el("button", { type: "button", class: "button small", test: "stop", hidden: true }, "Stop");
    this.made = el("div", { class: "toast", test: "working", role: "status" }, el("div", { class: "toast-words" }, el("p", {}, title), this.progress.box), this.stop);
    this.timer = setTimeout(() => byId("toasts").append(this.made), MOMENT);
  }

  /** @param {string} id of a job @returns {Promise<import("./types.js").Job>} once it is over */
  follow(id) {
    this.stop.addEventListener("click", () => stopping(this.stop, id));
    return follow(id, (job) => {
      this.progress.tell(job);
      this.stop.hidden = this.progress.isLast;
    });
  }

  end() {
    clearTimeout(this.timer);
    this.made.remove();
  }
}

/** Follow a job to its end, told of in the corner. @param {string} id @param {string} title */
export async function working(id, title) {
  const going = new Going(title);
  try {
    return await going.follow(id);
  } finally {
    going.end();
  }
}

/** Ask work to stop, once. @param {HTMLElement} button that was pressed */
export function stopping(button, id) {
  /** @type {HTMLButtonElement} */ (button).disabled = true;
  put(button, "Stopping…");
  cancel(id).catch(failed);
}

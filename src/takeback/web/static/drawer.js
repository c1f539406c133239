/**
 * The restore drawer: a plan to look at and choose from, one press to do exactly that, progress, and the way back.
 * Nothing is applied that is not on the screen: another choice makes another plan, and a world that moved makes a new one.
 */
import { post } from "./api.js";
import { show } from "./dialog.js";
import { bones, el, put } from "./dom.js";
import { icon } from "./icons.js";
import { follow, problemOf } from "./jobs.js";
import { Choice } from "./choice.js";
import { noun, planView, summary } from "./planview.js";
import { Progress, stopping } from "./progress.js";
import { toast } from "./toast.js";
import { troubleNotice } from "./trouble.js";
import { STOPPED, tellDone } from "./wayback.js";
import { count } from "./words.js";

/** @typedef {import("./types.js").Wanted} Wanted */

/**
 * @param {{wanted: Wanted, title: string, words?: string, modes?: boolean, changed?: () => void}} what `modes`: a snapshot, to which
 *   one can go back by taking moves back, or by making everything exactly as it was
 */
export function openDrawer(what) {
  const drawer = new Drawer(what);
  drawer.open();
  return drawer;
}

const CONFIRM = { restore: "Restore", since: "Take back", undo: "Take back", redo: "Redo", promote: "Bring" };

class Drawer {
  constructor({ wanted, title, words = "", modes = false, changed = () => {} }) {
    this.wanted = wanted;
    this.title = title;
    this.words = words;
    this.modes = modes;
    this.changed = changed;
    this.turn = 0;
    this.job = null;
    this.applying = false;
  }

  open() {
    this.body = el("div", { class: "drawer-body" });
    this.foot = el("footer", { class: "drawer-foot" });
    this.dialog = show({ class: "drawer", test: "drawer", label: this.title }, (dialog) => {
      put(
        dialog,
        el("header", { class: "drawer-head" }, el("h2", {}, this.title), el("button", { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => this.leave() }, icon("close"))),
        this.words ? el("p", { class: "soft drawer-words" }, this.words) : null,
        this.modes ? this.#modeSwitch() : null,
        this.body,
        this.foot,
      );
    });
    this.dialog.addEventListener("cancel", (event) => {
      // While it is being done, Esc asks it to stop; it closes when it has.
      if (this.applying) event.preventDefault();
      this.leave();
    });
    // What is being planned for a drawer that is closed is wanted by nobody.
    this.dialog.addEventListener("close", () => this.planning?.abort());
    this.plan();
  }

  leave() {
    if (!this.applying) this.dialog.close();
    else if (this.job && !this.stop.disabled) stopping(this.stop, this.job);
  }

  #modeSwitch() {
    const choices = [
      ["since", "Take back every move since", "What people changed since stays."],
      ["restore", "Exactly as it was then", "Everything becomes as in that snapshot."],
    ];
    const box = el("div", { class: "modes", role: "radiogroup", "aria-label": "How to go back" });
    put(
      box,
      choices.map(([verb, words, more]) => {
        const radio = el("input", { type: "radio", name: "mode", value: verb, checked: this.wanted.verb === verb, test: `mode-${verb}` });
        radio.addEventListener("change", () => {
          this.wanted = { ...this.wanted, verb, only: null, paths: null };
          this.plan();
        });
        return el("label", { class: "mode" }, radio, el("span", {}, el("b", {}, words), el("small", {}, more)));
      }),
    );
    return box;
  }

  /** What would be done; whatever was being planned before is not any more. @param {Wanted} wanted */
  #planned(wanted) {
    this.planning?.abort();
    this.planning = new AbortController();
    return post("/api/plan", wanted, { signal: this.planning.signal });
  }

  /** Plan everything that is wanted. */
  async plan() {
    const turn = (this.turn += 1);
    put(this.body, el("p", { class: "quiet" }, "Looking at what would change…"), bones(80, 62, 71, 48));
    this.#buttons(null);
    try {
      const all = await this.#planned(this.wanted);
      if (turn === this.turn) this.#show(all);
    } catch (error) {
      if (turn === this.turn) this.#refused(error);
    }
  }

  /** What is checked now; an undo of the newest move is from here on one of that move. */
  #narrowed() {
    const chosen = this.choice.wanted();
    const move = this.wanted.verb === "undo" ? (this.wanted.move ?? this.whole.moves?.[0] ?? null) : this.wanted.move;
    return { ...this.wanted, move, only: chosen.only ?? this.wanted.only, paths: chosen.paths ?? this.wanted.paths };
  }

  /** Plan what is checked now. */
  #narrow() {
    const turn = (this.turn += 1);
    clearTimeout(this.timer);
    this.#buttons(null);
    if (!this.choice.some) return this.#buttons(null, "Nothing is chosen");
    this.timer = setTimeout(async () => {
      try {
        const plan = this.choice.all ? this.whole : await this.#planned(this.#narrowed());
        if (turn !== this.turn) return;
        this.current = plan;
        put(this.facts, summary(plan, this.whole));
        this.#buttons(plan);
      } catch (error) {
        if (turn === this.turn) put(this.facts, troubleNotice(error, "plan-problem"));
      }
    }, 180);
  }

  #show(plan) {
    this.whole = plan;
    this.current = plan;
    this.choice = new Choice(plan.groups, () => this.#narrow());
    this.facts = el("div", { class: "plan-facts" }, summary(plan, plan));
    put(this.body, plan.differs ? differing(plan.differs) : null, planView(plan, this.choice), this.#sharedBox(plan), this.facts);
    this.#buttons(plan);
  }

  /** Whether to take back what several sessions may have changed, too; only if there is any. */
  #sharedBox(plan) {
    if (this.wanted.verb !== "undo" && this.wanted.verb !== "since") return null;
    if (!plan.shared.length && !this.wanted.shared) return null;
    const box = el("input", { type: "checkbox", test: "plan-shared", checked: this.wanted.shared === true });
    box.addEventListener("change", () => {
      this.wanted = { ...this.wanted, shared: box.checked };
      this.plan();
    });
    return el("label", { class: "plan-part shared-box" }, box, el("span", {}, "Also what may be somebody else's"));
  }

  #refused(error) {
    put(this.body, troubleNotice(error, "plan-problem"));
    put(this.foot, el("button", { type: "button", class: "button", test: "cancel", onclick: () => this.leave() }, "Close"));
  }

  /** The foot: what is sure, and the button that does it. */
  #buttons(plan, why = "") {
    const effects = plan ? (plan.changed?.length ?? 0) + (plan.pending?.length ?? 0) : 0;
    const ready = effects > 0;
    const words = !plan ? why || "Planning…" : ready ? `${CONFIRM[this.wanted.verb]} ${count(effects, noun(plan))}` : "Nothing to do";
    const confirm = el("button", { type: "button", class: "button primary", test: "confirm", disabled: !ready, onclick: () => this.#apply(plan) }, icon(this.wanted.verb === "promote" || this.wanted.verb === "redo" ? this.wanted.verb : "back", "small"), words);
    const had = this.foot.contains(document.activeElement);
    put(
      this.foot,
      el("p", { class: "sure" }, icon("shield"), el("span", {}, "The present is saved first – nothing can be lost.")),
      el("div", { class: "row-of-buttons" }, el("button", { type: "button", class: "button plain", test: "cancel", onclick: () => this.leave() }, "Cancel"), confirm),
    );
    if (ready && (had || !this.body.contains(document.activeElement))) confirm.focus();
  }

  async #apply(plan) {
    const progress = new Progress("Saving the present…", { saves: true });
    this.stop = /** @type {HTMLButtonElement} */ (el("button", { type: "button", class: "button", test: "stop", onclick: () => this.leave() }, "Stop"));
    put(this.foot, progress.box, el("div", { class: "row-of-buttons" }, this.stop));
    this.stop.focus();
    this.#hold(true);
    try {
      const { job } = await post("/api/apply", { plan: plan.plan });
      this.job = job;
      const done = await follow(job, (now) => {
        progress.tell(now);
        this.#last(progress.isLast);
      });
      this.#hold(false);
      this.#over(done, plan);
    } catch (error) {
      this.#hold(false);
      this.#refused(error);
    }
  }

  /** From the moment at which things are put in place it is done to its end: half of it is what nobody wants. */
  #last(isLast) {
    if (!isLast || this.stop.disabled) return;
    this.stop.disabled = true;
    this.stop.title = "It is done to its end now: Undo takes it back";
  }

  /** While a plan is being applied, nothing else can be chosen. */
  #hold(applying) {
    this.applying = applying;
    if (!applying) this.job = null;
    for (const each of this.dialog.querySelectorAll(".drawer-body, .modes")) /** @type {HTMLElement} */ (each).inert = applying;
  }

  #over(job, plan) {
    if (job.state === "done") {
      this.dialog.close();
      this.changed();
      tellDone(job.result, this.wanted, plan, this.changed, openDrawer);
    } else if (job.state === "cancelled") {
      this.dialog.close();
      toast(STOPPED);
      this.changed();
    } else if (job.error?.again) {
      // The world moved since this was planned: nothing was done, and this is the plan for what is there now.
      this.#show(job.error.again);
    } else this.#refused(problemOf(job));
  }
}

function differing(differs) {
  const lines = [...differs.new.map((each) => ["+", `${each.action} ${each.path}`, "plus"]), ...differs.gone.map((each) => ["−", `${each.action} ${each.path}`, "minus"]), ...differs.conflicts.map((path) => ["!", `conflict ${path}`, "bad"])];
  return el(
    "div",
    { class: "notice warn changed-world", test: "changed-world", role: "alert" },
    icon("warn"),
    el("div", {}, el("b", {}, "Something changed since this was planned, so nothing was done. This is the new plan."), lines.length ? el("ul", {}, lines.slice(0, 12).map(([sign, words, style]) => el("li", { class: style }, `${sign} ${words}`))) : el("p", {}, "The same paths, with other content.")),
  );
}

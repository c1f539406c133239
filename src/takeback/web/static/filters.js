/** What of the timeline is shown. The address holds it, so that it can be shared and the back button works. */
import { byId, el, put } from "./dom.js";
import { icon } from "./icons.js";

const NAMES = ["text", "session", "agent", "part"];

/** @typedef {{text: string, session: string, agent: string, part: string, actions: boolean, lanes: number[]|null}} Wish */

/** What the address asks for. @returns {Wish} */
export function wished() {
  const search = new URLSearchParams(location.search);
  const lanes = (search.get("lanes") ?? "").split(",").map(Number).filter((each) => Number.isInteger(each) && each > 0);
  const plain = Object.fromEntries(NAMES.map((name) => [name, search.get(name) ?? ""]));
  return /** @type {any} */ ({ ...plain, actions: search.get("actions") === "1", lanes: lanes.length ? lanes : null });
}

/** Whether a wish leaves rows out. @param {Wish} wish */
export function narrows(wish) {
  return NAMES.some((name) => wish[name] !== "");
}

function written(wish) {
  const search = new URLSearchParams();
  for (const name of NAMES) if (wish[name]) search.set(name, wish[name]);
  if (wish.actions) search.set("actions", "1");
  if (wish.lanes) search.set("lanes", wish.lanes.join(","));
  const text = search.toString();
  return text ? `/?${text}` : "/";
}

export class Filters {
  /**
   * @param {{lanes: import("./types.js").Lane[], shown: number[], sessions: [string, string][], parts: string[], colour: (lane: number) => string}} known
   * @param {(wish: Wish) => void} changed
   */
  constructor(known, changed) {
    this.changed = changed;
    this.form = byId("filters");
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.text = this.#textField();
    this.typing = 0; // the timer of typed text that is not in the address yet
    addEventListener("popstate", () => {
      this.#endTyping();
      this.show();
      changed(wished());
    });
    this.offer(known);
  }

  /** Build the bar for what is known. The text field stays, with what is typed and its focus. */
  offer(known) {
    const focused = document.activeElement === this.text;
    const agents = [...new Set(known.sessions.map(([, agent]) => agent).filter(Boolean))];
    this.selects = {
      session: select("session", "Session", "All sessions", known.sessions.map(([session, agent]) => [session, sessionWords(session, agent)])),
      agent: select("agent", "Agent", "All agents", agents.map((agent) => [agent, agent])),
      part: select("part", "Part", "All parts", known.parts.map((part) => [part, part])),
    };
    this.actions = el("button", { type: "button", class: "button toggle", "aria-pressed": "false", test: "filter-actions", title: "Also each call inside a turn" }, "Actions");
    this.clear = el("button", { type: "button", class: "button plain", test: "filter-clear", onclick: () => this.#set({ text: "", session: "", agent: "", part: "", actions: false }) }, "Clear");
    this.lanes = this.#laneMenu(known);
    put(this.form, el("label", { class: "searching" }, icon("search"), this.text, el("kbd", { "aria-hidden": "true" }, "/")), el("div", { class: "selects" }, Object.values(this.selects), this.actions, this.lanes, this.clear));
    if (focused) this.text.focus();
    for (const [name, made] of Object.entries(this.selects)) made.addEventListener("change", () => this.#set({ [name]: made.value }));
    this.actions.addEventListener("click", () => this.#set({ actions: !wished().actions }));
    this.show();
  }

  /** The parts that can be chosen are known now. @param {string[]} parts */
  offerParts(parts) {
    const had = new Set([...this.selects.part.options].map((each) => each.value));
    this.selects.part.append(...parts.filter((part) => !had.has(part)).map((part) => el("option", { value: part }, part)));
    this.show();
  }

  #textField() {
    const field = /** @type {HTMLInputElement} */ (el("input", { class: "field", type: "search", placeholder: "Filter moves", "aria-label": "Filter moves by text", test: "filter-text", autocomplete: "off", spellcheck: "false" }));
    field.addEventListener("input", () => {
      this.#endTyping();
      this.typing = setTimeout(() => this.#set({ text: field.value }, true), 220);
    });
    return field;
  }

  #endTyping() {
    clearTimeout(this.typing);
    this.typing = 0;
  }

  #laneMenu(known) {
    const box = (lane) => {
      const check = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox", value: lane.number, checked: known.shown.includes(lane.number) }));
      check.addEventListener("change", () => {
        const all = [...this.lanes.querySelectorAll("input")];
        const wanted = all.filter((each) => each.checked).map((each) => Number(each.value));
        if (!wanted.length) check.checked = true;
        else this.#set({ lanes: wanted });
      });
      return el("label", { class: "lane-choice" }, check, el("i", { class: `dot ${known.shown.includes(lane.number) ? known.colour(lane.number) : "c-you"}` }), el("span", { class: "clip" }, lane.name), el("small", { class: "quiet clip" }, lane.is_own ? (lane.is_here ? "here" : lane.fork_of ? "fork" : "") : lane.root));
    };
    const menu = el("details", { class: "menu", test: "filter-lanes" }, el("summary", { class: "button" }, icon("lanes"), `${known.shown.length} of ${known.lanes.length}`, el("span", { class: "unseen" }, "timelines")), el("div", { class: "menu-list card" }, known.lanes.map(box)));
    menu.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !menu.open) return;
      event.stopPropagation();
      menu.open = false;
      menu.querySelector("summary").focus();
    });
    document.addEventListener("pointerdown", (event) => {
      if (menu.open && event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
    });
    return menu;
  }

  #set(some, quietly = false) {
    if ("text" in some) this.#endTyping();
    const wish = { ...wished(), ...some };
    if (written(wish) === location.pathname + location.search) return;
    if (quietly && history.state?.typing) history.replaceState({ typing: true }, "", written(wish));
    else history.pushState(quietly ? { typing: true } : null, "", written(wish));
    this.show();
    this.changed(wish);
  }

  /** Show what the address says, but keep text that is being typed. */
  show() {
    const wish = wished();
    if (!this.typing) this.text.value = wish.text;
    for (const [name, made] of Object.entries(this.selects)) {
      if (wish[name] && ![...made.options].some((each) => each.value === wish[name])) made.append(el("option", { value: wish[name] }, wish[name]));
      made.value = wish[name];
      made.classList.toggle("in-use", wish[name] !== "");
    }
    this.actions.setAttribute("aria-pressed", String(wish.actions));
    this.clear.hidden = !narrows(wish) && !wish.actions;
  }

  focus() {
    this.text.focus();
    this.text.select();
  }
}

function sessionWords(session, agent) {
  const brief = session.length > 20 ? session.slice(0, 8) : session;
  return agent && agent !== session ? `${agent} · ${brief}` : brief;
}

function select(name, label, all, options) {
  return /** @type {HTMLSelectElement} */ (el("select", { class: "field", "aria-label": label, test: `filter-${name}` }, el("option", { value: "" }, all), options.map(([value, words]) => el("option", { value }, words))));
}

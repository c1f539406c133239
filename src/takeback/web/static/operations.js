/** The log of everything that takeback did to the world or to its own history. */
import { get } from "./api.js";
import { bones, byId, el, put } from "./dom.js";
import { listen } from "./live.js";
import { shell } from "./shell.js";
import { failed } from "./toast.js";
import { ago, because, moment, ms, short } from "./words.js";

const PAGE = 100;
/** Snapshots that were made around what agents do. */
const SAVED = {
  run_start: "Saved before a run",
  run_end: "Saved after a run",
  turn_start: "Saved before a turn",
  turn_end: "Saved after a turn",
  before_action: "Saved before an action",
  after_action: "Saved after an action",
  session_end: "Saved at the end of a session",
};
/** Of a snapshot that was dropped, what brings it back; nobody reads that. */
const INNER = new Set(["seq", "manifest", "parent", "labels", "created_ns", "trigger", "session", "changed", "mixed", "generation"]);
const ID = /^[0-9a-f]{16,}$/;

class Operations {
  constructor() {
    this.into = byId("operations");
    this.body = el("tbody");
    this.more = el("button", { type: "button", class: "button", test: "more", hidden: true, onclick: () => this.page().catch(failed) }, "Older ones");
    /** @type {number|null} */
    this.oldest = null;
    this.newest = 0;
  }

  async start() {
    const wait = bones(60, 74, 52, 66);
    put(this.into, el("h1", {}, "Operations"), wait);
    const lanes = (await get("/api/lanes")).lanes;
    this.lanes = new Map(lanes.map((lane) => [lane.number, lane.name]));
    put(this.into, el("h1", {}, "Operations"), el("p", { class: "quiet lead" }, "Everything takeback did to the world, or to its own history."), el("div", { class: "card shares" }, el("table", { class: "grid operations" }, el("thead", {}, el("tr", {}, ["When", "What", "Timeline", "Details"].map((words) => el("th", {}, words)))), this.body)), el("p", { class: "more-line" }, this.more));
    await this.page();
    listen("changed", () => this.fresh().catch(failed));
  }

  async page() {
    const { operations, titles } = await get("/api/operations", { before: this.oldest, limit: PAGE });
    this.body.append(...operations.map((each) => this.line(each, titles[each.seq])));
    for (const each of operations) this.newest = Math.max(this.newest, each.seq);
    this.oldest = operations.at(-1)?.seq ?? this.oldest;
    this.more.hidden = operations.length < PAGE;
    if (!this.body.children.length) this.body.append(el("tr", {}, el("td", { colspan: 4, class: "quiet" }, "Nothing yet.")));
  }

  async fresh() {
    const { operations, titles } = await get("/api/operations", { limit: PAGE });
    const come = operations.filter((each) => each.seq > this.newest);
    this.newest = Math.max(this.newest, ...come.map((each) => each.seq));
    this.body.prepend(...come.map((each) => this.line(each, titles[each.seq])));
  }

  line(each, title) {
    const when = ms(each.time_ns);
    return el(
      "tr",
      { test: "operation", "data-verb": each.verb },
      el("td", { class: "quiet when" }, el("time", { title: moment(when), datetime: new Date(when).toISOString() }, ago(when))),
      el("td", {}, el("b", { class: "verb", title: each.verb }, SAVED[each.verb] ?? because(each.verb))),
      el("td", {}, each.timeline === null ? el("span", { class: "quiet" }, "all") : (this.lanes.get(each.timeline) ?? `${each.timeline}`)),
      el("td", {}, el("div", { class: "details" }, title ? el("span", {}, title) : null, Object.entries(each.detail).filter(([name, value]) => value !== null && value !== "" && !(each.verb === "drop" && INNER.has(name))).map(([name, value]) => detail(name, value, each.timeline)))),
    );
  }
}

function detail(name, value, lane) {
  const words = name.replaceAll("_", " ");
  if (typeof value === "string" && ID.test(value)) {
    const link = ["snapshot", "safety", "target", "head", "opening", "closing", "parent"].includes(name);
    return el("span", { class: "detail" }, `${words} `, link ? el("a", { class: "id", href: `/snapshot/${value}${lane ? `?lane=${lane}` : ""}` }, short(value)) : el("span", { class: "mono" }, short(value)));
  }
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return el("span", { class: "detail", title: text.length > 80 ? text.slice(0, 2000) : null }, `${words} `, el("span", { class: "mono" }, text.length > 80 ? `${text.slice(0, 79)}…` : text));
}

shell("operations");
new Operations().start().catch(failed);

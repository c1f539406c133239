/** The diff's page: two snapshots, or one and the present, by tabs. */
import { READ_ONLY, about, address, get } from "./api.js";
import { bones, byId, el, put } from "./dom.js";
import { FileList } from "./filelist.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { memoryView } from "./memory.js";
import { openDrawer } from "./drawer.js";
import { timelineUrl } from "./place.js";
import { said } from "./said.js";
import { remember, remembered, shell } from "./shell.js";
import { teamView } from "./team.js";
import { failed, toast } from "./toast.js";
import { troublePage } from "./trouble.js";
import { ago, count, digits, moment, ms, short, title, who } from "./words.js";

const TABS = [
  ["files", "Files"],
  ["memory", "Memory"],
  ["container", "Container"],
  ["team", "Team"],
];

const LEFT_OUT = { state: "places in memory", container: "paths of a container", team: "paths of a team" };

class DiffPage {
  constructor() {
    const search = new URLSearchParams(location.search);
    this.into = byId("diff");
    this.a = search.get("a") ?? "@";
    this.b = search.get("b");
    this.lane = search.get("lane");
    this.tab = search.get("tab") ?? "";
    this.mode = remembered("diff", innerWidth < 900 ? "unified" : "side");
  }

  get where() {
    return { lane: this.lane, a: this.a, b: this.b };
  }

  async start() {
    const words = this.b === null ? "Looking at what is there now…" : "Comparing…";
    put(this.into, el("header", { class: "diff-head" }, el("div", { class: "diff-title" }, el("h1", {}, this.b === null ? "Changes since" : "Changes"), el("p", { class: "quiet", role: "status" }, words)), el("div", { class: "diff-bar" })), el("div", { class: "diff-wait" }, bones(40, 72, 64, 80, 55, 68)));
    this.keys(); // whoever does not want to wait can leave
    this.known = await about();
    try {
      this.diff = await get("/api/diff", this.where);
    } catch (error) {
      put(this.into, troublePage(error));
      return;
    }
    const left = this.diff.left_out ?? {};
    const number = (name) => this.diff[name].length + (left[name] ?? 0);
    this.numbers = { files: number("files"), memory: number("state"), container: number("container"), team: number("team") };
    if (!TABS.some(([name]) => name === this.tab)) this.tab = TABS.find(([name]) => this.numbers[name])?.[0] ?? "files";
    this.build();
    this.describe().catch(() => {});
  }

  build() {
    this.heading = el("div", { class: "diff-title" }, el("h1", {}, this.b === null ? "Changes since" : "Changes", " ", this.ends()), el("p", { class: "quiet" }));
    this.tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "What differs" });
    put(
      this.tabs,
      TABS.map(([name, words]) => el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "tab-panel", test: `tab-${name}`, onclick: () => this.choose(name), onkeydown: (event) => this.turn(event, name) }, words, el("span", { class: "tab-number number" }, digits(this.numbers[name])))),
    );
    this.modes = el(
      "div",
      { class: "segments", role: "group", "aria-label": "How to show lines" },
      [["side", "Side by side"], ["unified", "Unified"]].map(([name, words]) => el("button", { type: "button", test: name, "data-mode": name, onclick: () => this.setMode(name) }, words)),
    );
    this.body = el("div", { class: "diff-body", role: "tabpanel", id: "tab-panel", tabindex: "-1" });
    const missed = Object.entries(this.diff.missed ?? {}).map(([part, why]) => el("p", { class: "notice warn", test: "missed" }, icon("warn"), el("span", {}, `Nothing is known of ${part}: `, said(why))));
    for (const [what, number] of Object.entries(this.diff.left_out ?? {})) missed.push(el("p", { class: "notice warn", test: "left-out" }, icon("warn"), el("span", {}, `${digits(number)} more ${LEFT_OUT[what] ?? what} differ and are not shown: `, said(`\`takeback diff ${short(this.diff.a)}\` lists them all`))));
    put(this.into, el("header", { class: "diff-head" }, this.heading, el("div", { class: "diff-bar" }, this.tabs, this.modes)), missed.length ? el("div", { class: "diff-missed" }, missed) : null, this.body);
    this.setMode(this.mode);
    this.choose(this.tab, false);
  }

  /** What is compared, as links. */
  ends() {
    const end = (id) => el("a", { class: "id", href: address(`/snapshot/${id}`, { lane: this.lane }) }, short(id));
    return [end(this.diff.a), this.b === null ? null : [el("span", { class: "quiet" }, " → "), end(this.diff.b)]];
  }

  /** The move that changed all this, if it is one. */
  async move() {
    if (this.b === null) return null;
    const { rows } = await get("/api/rows", { lanes: this.lane ?? this.known.lane, text: this.diff.b, limit: 5 });
    return rows.find((row) => row.kind === "move" && row.level !== "action" && row.before === this.diff.a && row.snapshot === this.diff.b) ?? null;
  }

  /** How much differs: files, and what is no file. */
  much() {
    const { files, memory, container, team } = this.numbers;
    const others = memory + container + team;
    return [files || !others ? count(files, "file") : null, files && others ? ", " : null, others ? count(others, files ? "other change" : "change") : null].filter(Boolean).join("");
  }

  /** In words, what is compared. */
  async describe() {
    const move = await this.move();
    if (move) {
      const [name, line] = /** @type {any} */ (this.heading.children);
      const when = ms(move.time_ns);
      document.title = `${title(move)} · takeback`;
      put(name, title(move));
      return put(line, who(move), " · ", el("time", { title: moment(when) }, ago(when)), " · ", this.ends(), " · ", this.much());
    }
    const words = (shown) => `${shown.labels?.[0] ? `“${shown.labels[0]}”, ` : ""}${ago(Date.parse(shown.time))}`;
    const [a, b] = await Promise.all([this.a, this.b].map((ref) => (ref ? get(`/api/snapshots/${encodeURIComponent(ref)}`, { lane: this.lane }) : null)));
    const line = this.heading.lastElementChild;
    return put(line, this.much(), " · from ", el("time", { title: moment(Date.parse(a.time)) }, words(a)), " to ", b ? el("time", { title: moment(Date.parse(b.time)) }, words(b)) : "the present");
  }

  turn(event, name) {
    const at = TABS.findIndex(([each]) => each === name);
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const next = TABS[(at + by + TABS.length) % TABS.length][0];
    this.choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  }

  choose(name, write = true) {
    this.tab = name;
    for (const tab of this.tabs.children) {
      const chosen = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    if (write) history.replaceState(null, "", address("/diff", { ...this.where, tab: name }));
    this.body.setAttribute("aria-labelledby", `tab-${name}`);
    this.modes.hidden = name === "memory" || name === "team";
    this.files = null;
    VIEWS[name](this);
  }

  setMode(mode) {
    this.mode = mode;
    remember("diff", mode);
    for (const button of this.modes.children) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    this.files?.setMode(mode);
  }

  /** Put one file back as it was at the first side. */
  restore(file) {
    if (this.known.read_only) return toast(READ_ONLY);
    return openDrawer({
      wanted: { verb: "restore", lane: Number(this.lane) || this.known.lane, reference: this.diff.a, only: [file.part], paths: { [file.part]: [file.path] } },
      title: `Restore ${file.path} as it was before`,
      changed: () => this.b === null && setTimeout(() => this.start(), 50),
    });
  }

  keys() {
    if (this.bound) return;
    this.bound = true;
    bind(["j", "n"], "Next file", () => this.files?.step(1));
    bind(["k", "N"], "Previous file", () => this.files?.step(-1));
    bind(["s"], "Side by side or unified", () => this.modes && this.setMode(this.mode === "side" ? "unified" : "side"));
    bind(["r"], "Restore this file, with a plan first", () => this.files?.current && this.restore(this.files.current));
    bind(["1", "2", "3", "4"], "Files, Memory, Container, Team", (event) => this.tabs && this.choose(TABS[Number(event.key) - 1][0]));
    bind(["t", "Escape"], "To the timeline", () => location.assign(timelineUrl()));
  }
}

const VIEWS = {
  files: (page) => fileTab(page, page.diff.files, true),
  container: (page) => fileTab(page, page.diff.container, false),
  memory: (page) => memoryView(page.body, page.diff, page.where),
  team: (page) => teamView(page.body, page.diff),
};

function fileTab(page, files, restorable) {
  if (!files.length) return put(page.body, nothing(page.tab === "files" ? "No file differs." : "Nothing differs in a container."));
  page.files = new FileList(page.body, files, {
    where: page.where,
    mode: page.mode,
    restore: restorable ? (file) => page.restore(file) : null,
    readOnly: page.known.read_only,
  });
}

export function nothing(words) {
  return el("div", { class: "empty" }, icon("check"), el("h2", {}, words));
}

shell("");
new DiffPage().start().catch(failed);

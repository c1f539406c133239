/** The chosen row in full: what it was, what it changed, what can be done with it. */
import { about, encoded, get } from "./api.js";
import { buttons, diffUrl, snapshotUrl } from "./actions.js";
import { bones, el, put } from "./dom.js";
import { icon, partIcon } from "./icons.js";
import { countWords } from "./row.js";
import { said } from "./said.js";
import { troubleNotice } from "./trouble.js";
import { ago, because, count, digits, fileName, moment, ms, short, title, who } from "./words.js";

const MOST = 60;
export const SIGNS = { added: ["A", "plus"], deleted: ["D", "minus"], removed: ["D", "minus"], modified: ["M", "name"], changed: ["M", "name"], mode: ["P", "name"], type: ["T", "name"], moved: ["R", "name"] };

export class Panel {
  /** @param {HTMLElement} into @param {(anew?: boolean) => void} changed @param {() => import("./types.js").Lane[]} lanes */
  constructor(into, changed, lanes) {
    this.into = into;
    this.changed = changed;
    this.lanes = lanes;
    this.turn = 0;
    this.wanted = "";
    this.drawn = "";
    /** @type {import("./types.js").Row|undefined} */
    this.row = undefined;
  }

  /** How much a row changed is known now. One that was chosen a moment ago may not be shown yet. */
  counted(row, counts) {
    const line = this.into.querySelector(".panel-head p");
    if (!line || !counts || this.row !== row) return;
    put(line, brief(row, counts));
    this.wanted = this.drawn = JSON.stringify([row, counts]);
  }

  /** The same row keeps what is drawn of it: drawn anew, a button under the pointer would lose its click.
   * @param {import("./types.js").Row|undefined} row */
  async show(row, counts) {
    const wanted = JSON.stringify([row, counts]);
    if (wanted === this.wanted && row?.kind !== "present" && !row?.open) return;
    this.wanted = wanted;
    const turn = (this.turn += 1);
    const known = await about();
    if (turn !== this.turn) return;
    if (!row) put(this.into, el("div", { class: "empty" }, el("p", {}, "Choose a move to see what it changed.")));
    else if (wanted !== this.drawn) put(this.into, head(row, counts), el("div", { class: "actions" }, buttons(row, known.read_only, this.changed, this.lanes())), facts(row), el("div", { class: "panel-files" }, bones(70, 55, 80)));
    this.drawn = wanted;
    this.row = row;
    if (!row) return;
    const files = this.into.querySelector(".panel-files");
    // The world is looked at once: until then nothing is known of the present, and nothing is asked if it is as it was saved.
    if (row.kind === "present" && !counts) return;
    if (row.kind === "present" && !Object.keys({ ...counts.parts, ...counts.missed }).length) return put(files, el("p", { class: "quiet" }, "Nothing changed since the last snapshot."));
    const end = row.kind === "present" || row.open ? null : row.snapshot;
    if (!row.before || (end === row.before)) return put(files, el("p", { class: "quiet" }, row.kind === "original" ? "The beginning: everything in it was there before the first move." : "It changed nothing that is captured."));
    try {
      this.looking?.abort();
      this.looking = new AbortController();
      const diff = await get("/api/diff", { lane: row.lane, a: row.before, b: end }, { signal: this.looking.signal });
      if (turn === this.turn) put(files, changes(row, diff));
    } catch (error) {
      if (turn !== this.turn) return;
      this.wanted = "";
      put(files, troubleNotice(error));
    }
  }
}

/** Who, when, and how much. */
function brief(row, counts) {
  const when = ms(row.time_ns);
  if (row.kind === "present") return ["What is there now"];
  return [who(row), who(row) ? " · " : "", el("time", { title: moment(when) }, ago(when)), counts ? " · " : "", counts ? countWords(row, counts) : ""];
}

function head(row, counts) {
  return el("header", { class: "panel-head" }, el("h2", { class: row.undone_by ? "struck" : "" }, title(row)), el("p", { class: "quiet" }, brief(row, counts)));
}

function facts(row) {
  if (row.kind === "present") return null;
  const when = ms(row.time_ns);
  const pairs = [
    ["When", moment(when)],
    row.snapshot ? ["Snapshot", el("a", { class: "id", href: snapshotUrl(row), test: "act-open" }, short(row.snapshot))] : null,
    row.move ? ["Move", el("span", { class: "mono" }, short(row.move), el("span", { class: "quiet" }, ` ${row.verb || row.level}`))] : ["Why", because(row.trigger)],
    row.session ? ["Session", el("span", { class: "mono clip" }, row.session)] : null,
    row.undone_by ? ["Undone by", el("span", { class: "mono" }, short(row.undone_by))] : null,
    row.takes.length ? ["Takes back", el("span", { class: "mono" }, row.takes.map(short).join(", "))] : null,
    row.labels.length ? ["Labels", row.labels.map((label) => el("span", { class: "chip name-chip" }, el("span", {}, label)))] : null,
  ];
  return el("dl", { class: "facts" }, pairs.filter(Boolean).map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

/** What a diff says, shortly, by part; each line leads into the diff. */
export function changes(row, diff) {
  const base = diffUrl(row);
  const left = diff.left_out ?? {};
  const groups = [
    ["Files", "files", diff.files.map((each) => ({ ...each, tab: "files" })), left.files ?? 0],
    ["Memory", "memory", places(diff.state), 0],
    ["Container", "container", diff.container.map((each) => ({ ...each, tab: "container" })), left.container ?? 0],
    ["Team", "team", diff.team.map((each) => ({ ...each, tab: "team" })), left.team ?? 0],
  ].filter(([, , items]) => items.length);
  const missed = Object.entries(diff.missed ?? {}).map(([part, why]) => el("p", { class: "notice warn", test: "missed" }, icon("warn"), el("span", {}, `Without ${part}: `, said(why))));
  if (!groups.length) return [missed, el("p", { class: "quiet" }, row.kind === "present" ? "Nothing changed since the last snapshot." : "It changed nothing that is captured.")];
  return [
    missed,
    groups.map(([name, kind, items, more]) => [
      el("h3", {}, partIcon(kind === "files" ? "workspace" : kind, "small"), name, el("span", { class: "quiet number" }, digits(items.length + more))),
      el("ul", { class: "change-list" }, items.slice(0, MOST).map((each) => change(base, each))),
      items.length > MOST ? el("a", { class: "quiet", href: base }, `and ${digits(items.length + more - MOST)} more`) : null,
    ]),
  ];
}

function places(state) {
  const byPart = new Map();
  for (const each of state) byPart.set(each.part, (byPart.get(each.part) ?? 0) + 1);
  return [...byPart].map(([part, number]) => ({ path: `${part}: ${count(number, "place")}`, status: "modified", tab: "memory" }));
}

function change(base, each) {
  const [sign, style] = SIGNS[each.status] ?? ["M", "name"];
  const directory = each.path.slice(0, each.path.length - fileName(each.path).length);
  const hash = each.tab === "files" ? `#${encoded(each.path)}` : "";
  return el("li", {}, el("a", { href: `${base}${base.includes("?") ? "&" : "?"}tab=${each.tab}${hash}`, test: "changed-file", title: each.path }, el("b", { class: `sign ${style}` }, sign), el("span", { class: "path" }, el("span", { class: "quiet" }, directory), el("bdi", {}, fileName(each.path)))));
}

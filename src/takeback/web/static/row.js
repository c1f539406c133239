/** One row of the timeline: made once, filled again and again as one scrolls. */
import { el, put, svg } from "./dom.js";
import { icon, partIcon } from "./icons.js";
import { ago, count, digits, moment, ms, title, who } from "./words.js";

export function makeRow() {
  return el(
    "div",
    { class: "row", role: "option", test: "row" },
    el("span", { class: "graph", "aria-hidden": "true" }, svg("svg", {})),
    el("span", { class: "what" }, el("span", { class: "row-title clip", test: "row-title" }), el("span", { class: "chips" })),
    el("span", { class: "row-parts" }),
    el("span", { class: "row-counts number", test: "row-counts" }),
    el("span", { class: "row-agent clip", test: "row-agent" }),
    el("time", { class: "row-time clip", test: "row-time" }),
  );
}

/**
 * @param {HTMLElement} made
 * @param {import("./types.js").Row} row
 * @param {{colour: string, counts: import("./types.js").Counts|undefined, laneChip: string, lanes: Map<number, string>, kinds: Map<string, string>}} more
 */
export function fillRow(made, row, { colour, counts, laneChip, lanes, kinds }) {
  const [, what, parts, numbers, agent, time] = /** @type {any} */ (made.children);
  const when = ms(row.time_ns);
  made.className = `row is-${row.kind}${row.undone_by ? " undone" : ""}${row.level === "action" ? " inside" : ""}${row.open ? " running" : ""}`;
  mark(made, { kind: row.kind, snapshot: row.snapshot, move: row.move, lane: row.lane, undone: row.undone_by, pinned: row.pinned ? "yes" : null });
  made.setAttribute("data-test", row.kind === "present" || row.kind === "original" ? row.kind : "row");
  put(what.firstElementChild, title(row));
  what.firstElementChild.title = title(row);
  put(what.lastElementChild, chips(row, laneChip, lanes));
  put(parts, Object.keys(counts?.parts ?? {}).map((part) => withTitle(partIcon(kinds.get(part) ?? part, "small"), part)));
  put(numbers, countWords(row, counts));
  put(agent, row.kind === "present" || row.kind === "original" ? "" : [el("i", { class: `dot ${colour}` }), who(row)]);
  agent.title = row.session ? `session ${row.session}` : "";
  put(time, row.kind === "present" ? "now" : ago(when));
  time.title = moment(when);
  time.setAttribute("datetime", new Date(when).toISOString());
}

function mark(made, values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === null || value === undefined) delete made.dataset[name];
    else made.dataset[name] = String(value);
  }
}

function withTitle(drawn, words) {
  drawn.append(svg("title", {}, words));
  return drawn;
}

function chips(row, laneChip, lanes) {
  return [
    laneChip ? el("span", { class: `chip lane-chip ${laneChip}` }, el("span", {}, lanes.get(row.lane) ?? `timeline ${row.lane}`)) : null,
    row.pinned ? el("span", { class: "chip", title: "pinned: never removed by retention" }, icon("pin", "small"), el("span", { class: "unseen" }, "pinned")) : null,
    row.labels.slice(row.kind === "snapshot" ? 1 : 0).map((label) => el("span", { class: "chip name-chip" }, el("span", {}, label))),
    row.forks.map(([, name]) => el("span", { class: "chip", title: `the fork ${name} begins here` }, icon("fork", "small"), el("span", {}, name))),
    row.open && row.kind === "move" ? el("span", { class: "chip running-chip" }, "running") : null,
    row.undone_by ? el("span", { class: "chip undone-chip" }, "undone") : null,
  ];
}

/** +12 −3; the number of files where lines cannot be counted, and of changes where there are no files. */
export function countWords(row, counts) {
  if (row.kind === "original") return el("span", { class: "quiet" }, "");
  if (row.kind === "present" && counts && !Object.keys(counts.parts).length) return el("span", { class: "quiet" }, "no changes");
  const comes = row.kind === "present" || (row.before && row.snapshot && row.before !== row.snapshot);
  if (!counts) return comes ? el("span", { class: "bone short-bone" }) : "";
  if (counts.added === null || counts.removed === null) return el("span", { class: "quiet" }, count(counts.files, "file"));
  if (!counts.added && !counts.removed) {
    const others = Object.values(counts.parts).reduce((sum, number) => sum + number, 0);
    return others ? el("span", { class: "quiet" }, counts.files ? count(counts.files, "file") : count(others, "change")) : "";
  }
  return [el("span", { class: "plus" }, `+${digits(counts.added)}`), " ", el("span", { class: "minus" }, `−${digits(counts.removed)}`)];
}

/** What can be done with a row: every verb, from the panel, the snapshot's page and the keys, one way each. */
import { READ_ONLY, about, address, get, post } from "./api.js";
import { ask } from "./dialog.js";
import { drop } from "./dropping.js";
import { openDrawer } from "./drawer.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { promoteButtons } from "./forks.js";
import { problemOf } from "./jobs.js";
import { working } from "./progress.js";
import { failed, toast } from "./toast.js";
import { short, title } from "./words.js";

/** @typedef {import("./types.js").Row} Row */

export const snapshotUrl = (row) => address(`/snapshot/${row.snapshot ?? row.before}`, { lane: row.lane });

/** What the row changed. @param {Row} row */
export function diffUrl(row) {
  if (row.kind === "present" || row.open) return address("/diff", { a: row.before, lane: row.lane });
  return row.before ? address("/diff", { a: row.before, b: row.snapshot, lane: row.lane }) : null;
}

/** What changed since the row. @param {Row} row */
export function presentUrl(row) {
  return row.snapshot ? address("/diff", { a: row.snapshot, lane: row.lane }) : null;
}

/** @typedef {"diff"|"present"|"restore"|"undo"|"redo"|"fork"|"pin"|"label"|"drop"} Verb */

/** Why something is not possible now; empty if it is. @param {Verb} verb @param {Row} row */
export function impossible(verb, row, readOnly) {
  if (verb === "diff") return diffUrl(row) ? "" : "This is the first snapshot: there is nothing before it";
  if (verb === "present") return row.snapshot ? "" : "This is the present";
  if (readOnly) return READ_ONLY;
  if (verb === "undo") {
    if (!row.move) return "Only moves can be undone: choose Restore… to go back to a snapshot";
    if (row.undone_by) return "This move is undone already: Redo brings it back";
    return "";
  }
  if (verb === "redo") return row.undone_by || row.verb === "undo" ? "" : "Nothing of it was undone";
  if (row.kind === "present") return "This is the present: save it first, or choose a row below";
  if (row.open) return "This move has not ended yet";
  if (verb === "drop" && row.pinned) return "It is pinned, so it stays: unpin it first";
  return row.snapshot ? "" : "There is no snapshot here";
}

/**
 * Do it, or say why not.
 * @param {Verb} verb
 * @param {Row} row
 * @param {(anew?: boolean) => void} [changed] called when something is different then; `anew`: further down, too
 */
export async function act(verb, row, changed = () => {}) {
  const known = await about();
  const why = impossible(verb, row, known.read_only);
  if (why) return toast(why);
  try {
    await DOING[verb](row, changed);
  } catch (error) {
    failed(error);
  }
}

const DOING = {
  diff: async (row) => location.assign(diffUrl(row)),
  present: async (row) => location.assign(presentUrl(row)),
  restore: async (row, changed) => openDrawer({ wanted: { verb: "since", lane: row.lane, reference: row.snapshot }, title: `Back to ${named(row)}`, modes: true, changed }),
  undo: async (row, changed) => openDrawer({ wanted: { verb: "undo", lane: row.lane, move: row.move }, title: `Undo ${named(row)}`, changed }),
  redo: async (row, changed) => openDrawer({ wanted: { verb: "redo", lane: row.lane, move: row.move }, title: `Redo ${named(row)}`, changed }),
  fork,
  drop,
  pin: async (row, changed) => {
    await post(row.pinned ? "/api/unpin" : "/api/pin", { lane: row.lane, ref: row.snapshot });
    row.pinned = !row.pinned;
    toast(row.pinned ? "Pinned: retention never removes it" : "Unpinned");
    changed();
  },
  label: async (row, changed) => {
    const said = await ask({ title: "Label this snapshot", words: `${named(row)} · ${short(row.snapshot)}`, fields: [{ name: "name", label: "Name", hint: "A name for references, as in takeback restore NAME" }], ok: "Label" });
    if (!said?.name) return;
    await post("/api/label", { lane: row.lane, ref: row.snapshot, name: said.name });
    row.labels = [...new Set([...row.labels, said.name])];
    toast(`Labelled “${said.name}”`);
    changed();
  },
};

async function fork(row, changed) {
  const said = await ask({
    title: "Fork from here",
    words: "A new timeline begins at this snapshot, in a directory of its own. What is here stays as it is.",
    fields: [
      { name: "name", label: "Name", value: await freeName() },
      { name: "to", label: "Directory", required: false, hint: "A new or empty one; left empty: beside this one" },
    ],
    ok: "Fork",
  });
  if (!said?.name) return;
  const { job } = await post("/api/fork", { lane: row.lane, ref: row.snapshot, name: said.name, to: said.to || null });
  const done = await working(job, `Fork “${said.name}”`);
  if (done.state === "cancelled") return toast("Stopped: there is no fork");
  if (done.state === "failed") throw problemOf(done, "the fork failed");
  toast(`Forked as “${said.name}”`);
  changed();
}

/** A name that no timeline has. */
async function freeName() {
  const taken = new Set((await get("/api/lanes")).lanes.map((lane) => lane.name));
  let number = 1;
  while (taken.has(`attempt-${number}`)) number += 1;
  return `attempt-${number}`;
}

/** Undo or redo the newest, through the drawer. @param {"undo"|"redo"} verb */
export async function newest(verb, lane, changed = () => {}) {
  const known = await about();
  if (known.read_only) return toast(READ_ONLY);
  openDrawer({ wanted: { verb, lane, move: null }, title: verb === "undo" ? "Undo the newest move" : "Redo what was undone", changed });
}

function named(row) {
  const words = title(row);
  return words.length > 60 ? `“${words.slice(0, 59)}…”` : `“${words}”`;
}

/** @type {[Verb, string, string, string][]} */
const BUTTONS = [
  ["diff", "Diff", "diff", "d"],
  ["present", "Diff with present", "compare", "D"],
  ["restore", "Restore…", "back", "r"],
  ["undo", "Undo this move", "back", "z"],
  ["redo", "Redo this move", "redo", "Z"],
  ["fork", "Fork…", "fork", "f"],
  ["pin", "Pin", "pin", "p"],
  ["label", "Label…", "label", "m"],
  ["drop", "Drop…", "drop", "x"],
];

/** Save what is there now. */
export async function save(lane, changed = () => {}) {
  const known = await about();
  if (known.read_only) return toast(READ_ONLY);
  const said = await ask({ title: "Save the present", fields: [{ name: "label", label: "Label", required: false, hint: "May stay empty" }], ok: "Save" });
  if (!said) return;
  try {
    const { job } = await post("/api/save", { lane, label: said.label || null });
    const done = await working(job, "Save");
    if (done.state === "cancelled") return toast("Stopped: nothing was saved");
    if (done.state !== "done") throw problemOf(done, "it was not saved");
    toast(done.result.new ? `Saved as ${short(done.result.id)}` : "Nothing changed since the last snapshot");
    changed();
  } catch (error) {
    failed(error);
  }
}

/** What can be done with the present. */
function presentButtons(row, readOnly, changed) {
  const why = readOnly ? READ_ONLY : "";
  const made = (test, words, drawn, keyed, run) => el("button", { type: "button", class: "button", test, "aria-disabled": why ? "true" : null, title: why, onclick: run }, icon(drawn, "small"), words, el("kbd", { "aria-hidden": "true" }, keyed));
  return [
    el("a", { class: "button", href: diffUrl(row), test: "act-diff" }, icon("diff", "small"), "Diff since the last snapshot", el("kbd", { "aria-hidden": "true" }, "d")),
    made("act-undo", "Undo", "back", "z", () => newest("undo", row.lane, changed)),
    made("act-redo", "Redo", "redo", "Z", () => newest("redo", row.lane, changed)),
    made("act-save", "Save…", "check", "s", () => save(row.lane, changed)),
  ];
}

/** Buttons for a row. @param {Row} row @param {boolean} readOnly @param {import("./types.js").Lane[]} lanes */
export function buttons(row, readOnly, changed, lanes) {
  if (row.kind === "present") return presentButtons(row, readOnly, changed);
  const wanted = ([verb]) => (verb === "drop" ? !readOnly : row.undone_by ? verb !== "undo" : verb !== "redo");
  // Who chose a bad turn wants it undone: back to its end is where it has happened.
  const main = row.undone_by ? "redo" : row.move ? "undo" : "restore";
  const made = BUTTONS.filter(wanted).map(([verb, words, drawn, keyed]) => {
    const why = impossible(verb, row, readOnly);
    const said = verb === "pin" && row.pinned ? "Unpin" : words;
    const inside = [icon(drawn, "small"), said, keyed ? el("kbd", { "aria-hidden": "true" }, keyed) : null];
    const link = verb === "diff" ? diffUrl(row) : verb === "present" ? presentUrl(row) : null;
    if (link && !why) return el("a", { class: "button", href: link, test: `act-${verb}` }, inside);
    return el("button", { type: "button", class: verb === main ? "button primary" : "button", test: `act-${verb}`, "aria-disabled": why ? "true" : null, title: why, onclick: () => act(verb, row, changed) }, inside);
  });
  return readOnly ? made : [...made, promoteButtons(row, lanes, changed)];
}

/** Forks: what was done in one is brought to where the page was started, through the same drawer as every restore. */
import { READ_ONLY } from "./api.js";
import { openDrawer } from "./drawer.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { toast } from "./toast.js";

/** @typedef {import("./types.js").Lane} Lane */

/** With more forks at one place than this, each is promoted from a row of its own. */
const MOST = 3;

/** The forks that a row is of, or that begin at it. @param {import("./types.js").Row} row @param {Lane[]} lanes */
export function forksAt(row, lanes) {
  const begin = row.forks.map(([number]) => number);
  return lanes.filter((lane) => lane.fork_of && lane.is_own && !lane.is_here && (lane.number === row.lane || begin.includes(lane.number)));
}

/** Bring what a fork has done. @param {Lane} fork @param {Lane[]} lanes */
export function promote(fork, lanes, changed) {
  const here = lanes.find((lane) => lane.is_here);
  openDrawer({
    wanted: { verb: "promote", lane: here?.number, fork: fork.name },
    title: `Promote “${fork.name}”`,
    words: `What was done in the fork since it began is done in “${here?.name}”, too. The fork itself is saved, and stays as it is.`,
    changed,
  });
}

/** The one that a key means, or why there is none. @param {import("./types.js").Row|undefined} row @param {Lane[]} lanes */
export function promoteAt(row, lanes, changed, readOnly) {
  if (readOnly) return toast(READ_ONLY);
  const forks = row ? forksAt(row, lanes) : [];
  if (forks.length === 1) return promote(forks[0], lanes, changed);
  return toast(forks.length ? "Several forks begin here: choose a row of the one that is meant" : "Only a fork can be promoted: choose a row of one, or the row where it begins");
}

/** @param {import("./types.js").Row} row @param {Lane[]} lanes */
export function promoteButtons(row, lanes, changed) {
  const forks = forksAt(row, lanes);
  if (forks.length > MOST) return [];
  return forks.map((fork) => el("button", { type: "button", class: "button", test: "act-promote", title: `Do here what was done in the fork ${fork.name}`, onclick: () => promote(fork, lanes, changed) }, icon("promote", "small"), el("span", { class: "clip" }, `Promote ${fork.name}…`), forks.length === 1 ? el("kbd", { "aria-hidden": "true" }, "P") : null));
}

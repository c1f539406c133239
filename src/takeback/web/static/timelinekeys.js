/** The timeline's keys; the same as in the terminal. */
import { act, newest, save } from "./actions.js";
import { about } from "./api.js";
import { byId } from "./dom.js";
import { promoteAt } from "./forks.js";
import { bind } from "./keys.js";
import { toast } from "./toast.js";

/** How long a press counts as the reason of what follows, in milliseconds. */
const PRESSED = 400;

/** @param {any} timeline the page */
export function timelineKeys(timeline) {
  const changed = (anew) => timeline.changed(anew);
  const step = (by) => () => timeline.choose(timeline.list.cursor + by);
  const on = (verb) => () => (timeline.row ? act(verb, timeline.row, changed) : toast("There is nothing to choose yet"));
  bind(["j", "ArrowDown"], "Next, older", step(1));
  bind(["k", "ArrowUp"], "Previous, newer", step(-1));
  bind(["PageDown"], "", () => step(timeline.list.page)());
  bind(["PageUp"], "", () => step(-timeline.list.page)());
  bind(["g", "Home"], "To the present", () => timeline.choose(0));
  bind(["G", "End"], "To the original", () => timeline.end());
  bind(["Enter"], "Open the snapshot", () => timeline.open(timeline.list.cursor));
  bind(["d"], "Diff: what it changed", on("diff"));
  bind(["D"], "Diff with the present", on("present"));
  bind(["r"], "Go back to this point, with a plan first", on("restore"));
  bind(["z"], "Undo this move; on the present, the newest", () => (isMove(timeline.row) ? act("undo", timeline.row, changed) : newest("undo", timeline.here, changed)));
  bind(["Z"], "Redo it, or the newest undo", () => (isTakenBack(timeline.row) ? act("redo", timeline.row, changed) : newest("redo", timeline.here, changed)));
  bind(["s"], "Save the present", () => save(timeline.here, changed));
  bind(["f"], "Fork from here", on("fork"));
  bind(["p"], "Pin or unpin", on("pin"));
  bind(["m"], "Label", on("label"));
  bind(["x"], "Drop this snapshot, after a question", on("drop"));
  bind(["P"], "Promote: do here what the fork has done", async () => promoteAt(timeline.row, timeline.lanes, changed, (await about()).read_only));
  bind(["/"], "Filter", () => timeline.filters.focus());
  bind(["Escape"], "Back to the list", () => timeline.list.move(timeline.list.cursor));
  fromTheFilter(timeline);
  // Whoever does anything else does not wait for the end any more.
  for (const each of ["keydown", "pointerdown", "wheel"]) addEventListener(each, () => (timeline.seeking = null), { capture: true, passive: true });
  pressing(timeline);
}

const isMove = (row) => row && row.kind !== "present";
const isTakenBack = (row) => row && (row.undone_by || row.verb === "undo");

function fromTheFilter(timeline) {
  byId("filters").addEventListener("keydown", (event) => {
    if (event.key === "Escape" || (event.key === "ArrowDown" && event.target === timeline.filters.text)) timeline.list.move(timeline.list.cursor);
  });
}

/** On a phone a tap opens a row, while keys only choose it; rows change their height with the width of the window. */
function pressing(timeline) {
  byId("scroller").addEventListener("pointerdown", () => {
    timeline.pointed = true;
    setTimeout(() => (timeline.pointed = false), PRESSED);
  });
  matchMedia("(max-width: 720px)").addEventListener("change", () => {
    timeline.column = undefined;
    timeline.list.measure();
  });
}

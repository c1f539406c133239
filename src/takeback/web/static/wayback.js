/** After something was done: what it was, and the way back, through the same plan and apply. */
import { post } from "./api.js";
import { problemOf } from "./jobs.js";
import { noun } from "./planview.js";
import { Going } from "./progress.js";
import { failed, toast } from "./toast.js";
import { count } from "./words.js";

export const STOPPED = "Stopped: everything is as it was";

const DONE = { restore: "Restored", since: "Took back", undo: "Took back", redo: "Redid", promote: "Brought" };

/** @typedef {import("./types.js").Wanted} Wanted */

/**
 * Say what was done, with the way back: without the drawer, unless something is in the way.
 * @param {any} report
 * @param {Wanted} wanted
 * @param {any} plan that was applied: it counts as people do, without the directories on the way
 * @param {() => void} changed
 * @param {(what: any) => void} open the drawer
 * @param {Wanted|null} [redone] what a redo did again
 */
export function tellDone(report, wanted, plan, changed, open, redone = null) {
  const number = report.changed.length && plan.changed.length;
  const left = report.conflicts?.length ? `, ${count(report.conflicts.length, "conflict")} left alone` : "";
  const pending = report.pending?.length ? `, ${report.pending.join(", ")} pending` : "";
  const words = number ? `${DONE[wanted.verb]} ${count(number, noun(plan))}${left}${pending}` : `Nothing was changed${left}${pending}`;
  if (!report.move) return toast(words);
  toast(words, { press: wayBack(report, wanted, changed, open, redone) });
}

/** The button that takes it back. An undo is redone; a redo is no move that can be undone, so what it did again is undone again. */
function wayBack(report, wanted, changed, open, redone) {
  if (wanted.verb === "undo" || wanted.verb === "since") {
    const again = { ...wanted, move: wanted.verb === "undo" ? (wanted.move ?? report.moves[0]) : null };
    return { words: "Redo", run: () => goBack({ verb: "redo", lane: wanted.lane, move: report.move }, changed, open, again) };
  }
  if (wanted.verb !== "redo") return { words: "Undo", run: () => goBack({ verb: "undo", lane: wanted.lane, move: report.move }, changed, open) };
  if (redone) return { words: "Undo", run: () => goBack(redone, changed, open) };
  // Which move that was is only known to the history: the plan is shown first.
  return { words: "Undo…", run: () => open({ wanted: { verb: "undo", lane: wanted.lane, move: null }, title: "Undo the newest move", changed }) };
}

async function goBack(wanted, changed, open, redone = null) {
  const title = wanted.verb === "redo" ? "Redo" : "Undo";
  const going = new Going(title);
  try {
    const plan = await post("/api/plan", wanted);
    if (plan.conflicts.length || !plan.changed.length) return open({ wanted, title, changed });
    const { job } = await post("/api/apply", { plan: plan.plan });
    const over = await going.follow(job);
    if (over.state === "done") {
      changed();
      tellDone(over.result, wanted, plan, changed, open, redone);
    } else if (over.error?.type === "Conflict") open({ wanted, title, changed });
    else if (over.state === "cancelled") toast(STOPPED);
    else failed(problemOf(over));
  } catch (error) {
    failed(error);
  } finally {
    going.end();
  }
}

/** Dropping a snapshot: what goes and what stays is said first, and it can be brought back. */
import { post } from "./api.js";
import { ask } from "./dialog.js";
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { said } from "./said.js";
import { failed, toast } from "./toast.js";
import { ago, ms, short } from "./words.js";

/** @param {import("./types.js").Row} row @param {(anew: boolean) => void} changed */
export async function drop(row, changed) {
  const id = short(row.snapshot);
  const named = row.labels.map((label) => `“${label}”`).join(", ");
  const goes = [
    ["The snapshot ", el("span", { class: "id" }, id), `, ${ago(ms(row.time_ns))}`, named ? `, and its name ${named}` : ""],
    ["The moves that met there as they are: those of one session become one, others lose the step to it or from it, and their undo leaves that"],
  ];
  const stays = [["Every file as it is now"], ["All other snapshots", row.forks.length ? ", and the forks that begin here" : ""], ["For a while, what it held: ", said(`\`takeback drop ${id} --undo\``), " brings it back until upkeep has freed the space, the moves as the drop left them"]];
  const sure = await ask({ title: "Drop this snapshot?", inside: [list("Goes", "minus", "close", goes), list("Stays", "good", "check", stays)], fields: [], ok: "Drop it", bad: true });
  if (!sure) return;
  await post("/api/drop", { lane: row.lane, ref: row.snapshot });
  toast(`Dropped ${id}: no file was touched`, { press: { words: "Undo", run: () => bringBack(row, changed) } });
  changed(true);
}

async function bringBack(row, changed) {
  try {
    await post("/api/undrop", { ref: row.snapshot });
    toast(`Snapshot ${short(row.snapshot)} is back`);
    changed(true);
  } catch (error) {
    failed(error);
  }
}

function list(words, style, drawn, lines) {
  return el("section", { class: "goes-or-stays" }, el("h3", { class: style }, words), el("ul", {}, lines.map((line) => el("li", {}, icon(drawn, `small ${style}`), el("span", {}, line)))));
}

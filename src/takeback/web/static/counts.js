/** How much each row changed: asked for only when a row is in sight, a few at a time, and never twice. */
import { get } from "./api.js";

const AT_ONCE = 3;

/** @type {Map<string, import("./types.js").Counts|"asked">} */
const known = new Map();
/** @type {{row: import("./types.js").Row, told: () => void}[]} */
let queue = [];
let busy = 0;

const name = (row) => `${row.lane}:${row.before}:${row.snapshot}`;

/** What is known; nothing for rows that have no two ends. @param {import("./types.js").Row} row */
export function counted(row) {
  const found = known.get(name(row));
  return found === "asked" ? undefined : found;
}

/** Rows in sight now: these are asked for, what went out of sight is not any more. */
export function wantCounts(rows, told) {
  queue = rows.filter((row) => row.before && row.snapshot && row.before !== row.snapshot && !known.has(name(row))).map((row) => ({ row, told: () => told(row) }));
  run();
}

function run() {
  while (busy < AT_ONCE && queue.length) {
    const { row, told } = queue.shift();
    if (known.has(name(row))) continue;
    known.set(name(row), "asked");
    busy += 1;
    get("/api/counts", { lane: row.lane, before: row.before, after: row.snapshot })
      .then((counts) => {
        known.set(name(row), counts);
        told();
      })
      .catch(() => known.set(name(row), { files: row.changed, added: null, removed: null, parts: {}, missed: {} }))
      .finally(() => {
        busy -= 1;
        run();
      });
  }
}

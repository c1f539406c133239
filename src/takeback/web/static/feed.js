/** The rows of the timeline as they arrive: page by page from the newest down, and new ones on top. */
import { get } from "./api.js";

const PAGE = 100;
/** For whoever wants the end: as much as the server gives at once. */
const BIG_PAGE = 4000;
const EMPTY_PAGES = 20;

/** What makes a row itself, however often it is fetched. @param {import("./types.js").Row} row */
export function key(row) {
  return row.kind === "present" ? "present" : `${row.lane}:${row.kind === "original" ? "original" : (row.move ?? row.snapshot)}`;
}

export class Feed {
  /** @param {Record<string, any>} query lanes and filter, as /api/rows wants them */
  constructor(query) {
    this.query = query;
    /** @type {import("./types.js").Row[]} */
    this.rows = [];
    this.next = /** @type {string|null} */ (null);
    this.begun = query.lanes.length === 0; // of no timeline there is nothing to fetch
    this.stopped = false;
    this.loading = /** @type {Promise<number>|null} */ (null);
    this.seen = new Set();
  }

  get done() {
    return this.begun && this.next === null;
  }

  /** The next page. @returns {Promise<number>} how many rows came */
  more(big = false) {
    this.loading ??= this.#page(big ? BIG_PAGE : PAGE).finally(() => {
      this.loading = null;
    });
    return this.loading;
  }

  async #page(limit) {
    let came = 0;
    // A page may be empty while the search goes on further down.
    for (let tries = 0; came === 0 && !this.done && !this.stopped && tries < EMPTY_PAGES; tries += 1) {
      const page = await get("/api/rows", { ...this.query, limit, cursor: this.next });
      this.begun = true;
      this.next = page.next ?? null;
      for (const row of page.rows) {
        if (this.seen.has(key(row))) continue;
        this.seen.add(key(row));
        this.rows.push(row);
        came += 1;
      }
    }
    return came;
  }

  /**
   * Look at the top again.
   * @returns {Promise<{added: number, whole: boolean}>} how many rows are new on top; not `whole` if more came than one page holds
   */
  async refresh() {
    if (!this.query.lanes.length) return { added: 0, whole: true };
    const page = await get("/api/rows", { ...this.query, limit: PAGE });
    const places = new Map(this.rows.slice(0, 4 * PAGE).map((row, index) => [key(row), index]));
    const fresh = page.rows.filter((row) => !this.seen.has(key(row)));
    const whole = fresh.length < page.rows.length || this.rows.length === 0 || page.next === null;
    if (!whole) return { added: 0, whole };
    for (const row of page.rows) {
      const index = places.get(key(row));
      if (index !== undefined) this.rows[index] = row;
    }
    const gone = new Set(page.rows.map(key));
    // A snapshot that became the end of a move is that move's row now.
    const depth = Math.max(-1, ...page.rows.map((row) => places.get(key(row)) ?? -1));
    this.rows = this.rows.filter((row, index) => index > depth || gone.has(key(row)) || !this.seen.delete(key(row)));
    for (const row of fresh) this.seen.add(key(row));
    this.#insert(fresh);
    for (const row of fresh) this.#marks(row);
    return { added: fresh.length, whole };
  }

  #insert(fresh) {
    const older = fresh.filter((row) => this.rows.length && Number(row.time_ns) < Number(this.rows[0].time_ns));
    this.rows = [...fresh.filter((row) => !older.includes(row)), ...this.rows];
    for (const row of older) {
      const at = this.rows.findIndex((other) => Number(other.time_ns) <= Number(row.time_ns));
      this.rows.splice(at === -1 ? this.rows.length : at, 0, row);
    }
  }

  /** What a new undo or redo says about rows further down. */
  #marks(taker) {
    if (!taker.takes.length) return;
    const taken = new Set(taker.takes);
    for (const row of this.rows) {
      if (row.move && taken.has(row.move)) row.undone_by = taker.move;
      else if (row.undone_by && taken.has(row.undone_by)) row.undone_by = null;
    }
  }
}

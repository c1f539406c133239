/**
 * Where everything of the graph stands: a group of columns a timeline, in it a column an agent, and a track for undo arcs. An agent
 * has the same colour everywhere. Rows are laid out from the newest down, one after the other, so that a page that arrives costs only itself.
 *
 * @typedef {{shape: "full"|"down"|"in"|"arc"|"arc-start"|"arc-tick"|"arc-end", x: number, colour: string, fork?: boolean, to?: number}} Stroke
 * @typedef {{x: number, colour: string, strokes: Stroke[]}} Place
 */

const COLOURS = 8;
const MOST_AGENTS = 3;
const MOST_COLUMNS = 14;

/** Columns for timelines and their agents, from left to right: the one we are on first. */
export class Columns {
  /**
   * @param {import("./types.js").Lane[]} lanes those that are shown
   * @param {Map<number, string[]>} agents of each lane, the newest first
   */
  constructor(lanes, agents) {
    this.places = new Map();
    this.tracks = new Map();
    this.lanes = new Map(lanes.map((lane) => [lane.number, lane]));
    const colours = new Map();
    const colourOf = (name) => {
      if (!colours.has(name)) colours.set(name, `c${colours.size % COLOURS}`);
      return colours.get(name);
    };
    let x = 0;
    for (const lane of lanes) {
      const names = (agents.get(lane.number) ?? []).slice(0, MOST_AGENTS);
      for (const name of names.length ? names : [""]) {
        const place = { x: Math.min(x, MOST_COLUMNS), colour: colourOf(name || `lane ${lane.number}`) };
        this.places.set(`${lane.number}/${name}`, place);
        if (!this.places.has(`${lane.number}`)) this.places.set(`${lane.number}`, place);
        x += 1;
      }
      this.tracks.set(lane.number, Math.min(x, MOST_COLUMNS) - 0.3);
      x += 0.7;
    }
    this.width = Math.max(1, Math.min(x, MOST_COLUMNS + 1));
  }

  /** The column of a row. @param {import("./types.js").Row} row */
  of(row) {
    const lane = this.places.get(`${row.lane}`) ?? { x: 0, colour: "c0" };
    if (row.agent) return this.places.get(`${row.lane}/${row.agent}`) ?? lane;
    return row.kind === "present" ? lane : { x: lane.x, colour: "c-you" };
  }

  /** The colour of a timeline: of the agent that was there last. */
  colour(lane) {
    return this.places.get(`${lane}`)?.colour ?? "c0";
  }
}

/** Lays rows out, newest first; remembers what still hangs down from those above. */
export class Layout {
  /** @param {Columns} columns @param {boolean} whole whether no row between is filtered away, so that arcs find their ends */
  constructor(columns, whole) {
    this.columns = columns;
    this.whole = whole;
    this.hanging = new Map();
    this.forks = [];
    this.arcs = [];
  }

  /** @param {import("./types.js").Row} row @returns {Place} */
  add(row) {
    const { x, colour } = this.columns.of(row);
    /** @type {Stroke[]} */
    const strokes = [];
    for (const [lane, from] of this.hanging) {
      strokes.push({ shape: lane === row.lane ? "in" : "full", x: from.x, colour: from.colour, to: x });
    }
    this.#forksInto(row, x, strokes);
    this.#arcsInto(row, x, strokes);
    this.#below(row, x, colour, strokes);
    return { x, colour, strokes };
  }

  #forksInto(row, x, strokes) {
    const begin = new Set(row.forks.map(([number]) => number));
    for (const fork of this.forks) {
      strokes.push({ shape: begin.has(fork.lane) ? "in" : "full", x: fork.x, colour: fork.colour, fork: true, to: x });
    }
    this.forks = this.forks.filter((fork) => !begin.has(fork.lane));
  }

  #arcsInto(row, x, strokes) {
    for (const arc of this.arcs) {
      const taken = row.move !== null && arc.waits.delete(row.move);
      strokes.push({ shape: !taken ? "arc" : arc.waits.size ? "arc-tick" : "arc-end", x: arc.x, colour: arc.colour, to: x });
    }
    this.arcs = this.arcs.filter((arc) => arc.waits.size > 0);
  }

  #below(row, x, colour, strokes) {
    if (row.kind === "original") {
      this.hanging.delete(row.lane);
      const lane = this.columns.lanes.get(row.lane);
      if (lane?.fork_of) {
        this.forks.push({ lane: row.lane, x, colour });
        strokes.push({ shape: "down", x, colour, fork: true });
      }
    } else {
      this.hanging.set(row.lane, { x, colour });
      strokes.push({ shape: "down", x, colour });
    }
    if (this.whole && row.takes.length && (row.verb === "undo" || row.verb === "redo")) {
      const beside = this.arcs.filter((arc) => arc.lane === row.lane).length;
      const track = (this.columns.tracks.get(row.lane) ?? x + 0.6) + Math.min(beside, 2) * 0.3;
      this.arcs.push({ lane: row.lane, x: track, colour, waits: new Set(row.takes) });
      strokes.push({ shape: "arc-start", x: track, colour, to: x });
    }
  }
}

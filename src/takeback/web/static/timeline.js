/** The timeline's page: filter, list, graph and panel, kept together and alive. */
import { about, get } from "./api.js";
import { act, save, snapshotUrl } from "./actions.js";
import { byId, el, put } from "./dom.js";
import { counted, wantCounts } from "./counts.js";
import { Feed, key } from "./feed.js";
import { Filters, narrows, wished } from "./filters.js";
import { Columns, Layout } from "./graph.js";
import { drawSlice } from "./graphdraw.js";
import { icon } from "./icons.js";
import { listen } from "./live.js";
import { Panel } from "./panel.js";
import { keepPlace, keptPlace } from "./place.js";
import { fillRow, makeRow } from "./row.js";
import { VirtualList } from "./rows.js";
import { shell } from "./shell.js";
import { timelineKeys } from "./timelinekeys.js";
import { failed } from "./toast.js";
import { count } from "./words.js";

/** @typedef {import("./types.js").Row} Row */

const AHEAD = 60;
const LOCKED = 423;
/** So many pages are looked through for the row that was chosen when the page was left. */
const FAR = 2;
const NARROW = matchMedia("(max-width: 900px)");

class Timeline {
  /** @type {import("./types.js").Lane[]} */ lanes = [];
  /** @type {number[]} */ shown = [];
  /** @type {Map<string, string>} */ kinds = new Map();
  /** @type {import("./graph.js").Place[]} */ places = [];
  /** @type {Row|null} */ present = null;
  presentCounts = undefined;
  fresh = 0;
  anew = false;
  turn = 0;
  /** @type {object|null} */ seeking = null;

  async start() {
    this.here = (await about()).lane;
    this.panel = new Panel(byId("panel"), (anew) => this.changed(anew), () => this.lanes);
    this.list = new VirtualList(byId("scroller"), {
      label: "Timeline, newest first",
      make: makeRow,
      fill: (made, index) => this.fill(made, index),
      choose: (index) => this.choose(index),
      open: (index) => this.open(index),
      seen: (first, last) => this.seen(first, last),
    });
    await this.learn();
    this.lanesWished = String(wished().lanes ?? "");
    this.filters = new Filters(this.offered(), () => this.begin());
    timelineKeys(this); // before there is anything to see: who types at once is heard
    this.at = keptPlace();
    await this.begin();
    this.learnParts().catch(failed);
    listen("changed", () => this.changed());
    setInterval(() => this.list.draw(true), 30_000);
    // Files change without anybody saying so: whoever comes back to the page sees the present anew.
    addEventListener("focus", () => this.lookAtPresent());
  }

  /** Timelines, sessions and parts: what can be filtered by, and where columns stand. */
  async learn() {
    this.lanes = (await get("/api/lanes")).lanes;
    this.names = new Map(this.lanes.map((lane) => [lane.number, lane.name]));
    this.here = this.lanes.find((lane) => lane.is_here)?.number ?? this.here;
    const here = this.lanes.find((lane) => lane.number === this.here);
    this.present = here?.head ? presentOf(here) : null;
    const own = this.lanes.filter((lane) => lane.is_own).map((lane) => lane.number);
    this.shown = wished().lanes?.filter((each) => this.lanes.some((lane) => lane.number === each)) ?? [];
    if (!this.shown.length) this.shown = own.slice(0, 8);
    const chosen = this.lanes.filter((lane) => this.shown.includes(lane.number));
    const found = await Promise.all(chosen.map((lane) => get("/api/sessions", { lane: lane.number }).catch(() => ({ sessions: [] }))));
    this.sessions = found.flatMap((each) => each.sessions);
    const agents = new Map(chosen.map((lane, index) => [lane.number, [...new Set(found[index].sessions.map(([, agent]) => agent).filter(Boolean))]]));
    this.columns = new Columns(chosen, agents);
  }

  /** The parts that there are now, and their kinds; the list need not wait for them. */
  async learnParts() {
    const lane = this.lanes.find((each) => each.is_here && each.head) ?? this.lanes.find((each) => each.head);
    if (!lane) return;
    const shown = await get(`/api/snapshots/${lane.head}`, { lane: lane.number });
    for (const [name, part] of Object.entries(shown.parts)) this.kinds.set(name, part.kind);
    this.filters.offerParts([...this.kinds.keys()]);
    this.list.draw(true);
  }

  offered() {
    return { lanes: this.lanes, shown: this.shown, sessions: this.sessions, parts: [...this.kinds.keys()], colour: (lane) => this.columns.colour(lane) };
  }

  /** Fetch from the top for what is wished now; if the row that was chosen is not there any more, one chooses what is `near`. */
  async begin(near = 0) {
    const turn = (this.turn += 1);
    const wish = wished();
    if (String(wish.lanes ?? "") !== this.lanesWished) {
      this.lanesWished = String(wish.lanes ?? "");
      await this.learn();
      this.filters.offer(this.offered());
    }
    if (this.feed) this.feed.stopped = true;
    this.feed = new Feed({ lanes: this.shown, text: wish.text, session: wish.session, agent: wish.agent, part: wish.part, actions: wish.actions });
    this.whole = !narrows(wish);
    this.places = [];
    this.news(0);
    this.list.cursor = 0;
    byId("scroller").scrollTop = 0;
    const { feed, at } = this;
    try {
      await feed.more();
      const found = () => feed.seen.has(at) || (near > 0 && feed.rows.length > near);
      for (let pages = 1; at && pages < FAR && !feed.done && turn === this.turn && !found(); pages += 1) await feed.more(true);
    } catch (error) {
      failed(error);
    }
    if (turn !== this.turn) return;
    this.lay();
    const index = this.rows().findIndex((row) => this.at && key(row) === this.at);
    this.choose(index >= 0 ? index : near, false);
    this.lookAtPresent();
  }

  /** Rows as they are listed: the present first, if that is of a timeline that is shown and nothing is filtered. */
  rows() {
    const top = this.present && this.whole && this.shown.includes(this.present.lane) ? [this.present] : [];
    return top.length ? [...top, ...this.feed.rows] : this.feed.rows;
  }

  /** Lay the graph out anew, and show it. */
  lay(above = 0) {
    this.all = this.rows();
    this.layout = new Layout(this.columns, this.whole);
    this.places = this.all.map((row) => this.layout.add(row));
    this.firsts = new Map();
    for (const row of this.all) if (!this.firsts.has(row.lane)) this.firsts.set(row.lane, key(row));
    const reading = this.list.resize(this.all.length, above);
    this.tell();
    return reading;
  }

  /** Lay out only what came below. */
  extend() {
    this.all = this.rows();
    for (let index = this.places.length; index < this.all.length; index += 1) {
      const row = this.all[index];
      this.places.push(this.layout.add(row));
      if (!this.firsts.has(row.lane)) this.firsts.set(row.lane, key(row));
    }
    this.list.resize(this.all.length);
    this.tell();
  }

  tell() {
    const empty = this.feed.done && !this.feed.rows.length;
    byId("scroller").querySelector(".empty")?.remove();
    if (empty) byId("scroller").append(this.whole ? this.nothingYet() : el("div", { class: "empty" }, icon("search"), el("h2", {}, "No move is like that"), el("p", {}, "Clear the filter to see everything.")));
    byId("scroller").setAttribute("aria-busy", String(!this.feed.done && Boolean(this.feed.loading)));
  }

  nothingYet() {
    const others = this.lanes.length;
    return el(
      "div",
      { class: "empty" },
      icon("back"),
      el("h2", {}, "Nothing was recorded here yet"),
      el("p", {}, "Save makes the first snapshot; ", el("code", {}, "takeback install"), " has agents make them."),
      others ? el("p", {}, others === 1 ? "A timeline of another directory is in this store: it can be chosen above." : `${count(others, "timeline")} of other directories are in this store: they can be chosen above.`) : null,
      el("button", { type: "button", class: "button primary", test: "act-save", onclick: () => save(this.here, () => this.changed()) }, icon("check", "small"), "Save…"),
    );
  }

  fill(made, index) {
    const row = this.all[index];
    const place = this.places[index];
    if (!row || !place) return;
    const counts = row.kind === "present" ? this.presentCounts : counted(row);
    const several = this.shown.length > 1;
    const chip = several && this.firsts.get(row.lane) === key(row) && row.kind !== "present" ? this.columns.colour(row.lane) : "";
    fillRow(made, row, { colour: place.colour, counts, laneChip: several && row.kind === "present" ? this.columns.colour(row.lane) : chip, lanes: this.names, kinds: this.kinds });
    this.column ??= parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--column"));
    drawSlice(made.querySelector("svg"), place, row, { column: this.column, height: this.list.height, width: this.columns.width });
  }

  seen(first, last) {
    if (!this.feed || !this.all) return;
    clearTimeout(this.counting);
    this.counting = setTimeout(() => {
      const rows = this.all.slice(first, last + 1);
      wantCounts(rows, (row) => this.refill(row));
    }, 90);
    if (last + AHEAD >= this.all.length && this.feed.begun && !this.feed.done) this.loadMore();
  }

  /** What a row changed is known now. */
  refill(row) {
    for (const index of this.list.shown.keys()) if (this.all[index] === row) this.list.refill(index);
    if (this.row === row) this.panel.counted(row, counted(row));
  }

  async loadMore(big = false) {
    const feed = this.feed;
    if (feed.loading) return;
    try {
      await feed.more(big);
    } catch (error) {
      feed.next = null;
      failed(error);
    }
    if (feed === this.feed) this.extend();
  }

  /** The world, looked at once the list stands; its row is there before, so that nothing moves. */
  async lookAtPresent() {
    if (!this.present) return;
    this.looking?.abort(); // the world has moved since: only the last look counts
    this.looking = new AbortController();
    try {
      const found = await get("/api/present", { lane: this.here }, { signal: this.looking.signal });
      this.present = found.row;
      this.presentCounts = found.counts ?? undefined;
      if (this.all[0]?.kind !== "present") return;
      this.all[0] = found.row;
      this.list.refill(0);
      if (this.row === found.row) this.panel.show(found.row, this.presentCounts);
    } catch (error) {
      // Somebody is at work there, and it is told when that has ended.
      if (error.status !== LOCKED) failed(error);
    }
  }

  /** Something happened: new rows come on top, and what one looks at stays where it is; `anew` if rows further down are other ones. */
  async changed(anew = false) {
    if (this.changing) {
      this.again = true;
      this.anew ||= anew;
      return;
    }
    this.changing = true;
    try {
      if (anew) {
        return await this.begin(this.list.cursor);
      }
      const feed = this.feed;
      const { lanes } = await get("/api/lanes");
      if (lanes.length !== this.lanes.length && !wished().lanes) {
        await this.learn();
        this.filters.offer(this.offered());
        await this.begin();
        return;
      }
      const { added, whole } = await feed.refresh();
      if (feed !== this.feed) return;
      if (!whole) await this.begin();
      else {
        const chosen = this.all[this.list.cursor];
        const reading = this.lay(added);
        this.keepChosen(chosen);
        if (added && reading) this.news(this.fresh + added);
        else if (added) this.arrive(added);
      }
      await this.lookAtPresent();
    } catch (error) {
      failed(error);
    } finally {
      this.changing = false;
      if (this.again) {
        const { anew: also } = this;
        this.again = this.anew = false;
        this.changed(also);
      }
    }
  }

  keepChosen(row) {
    const index = row ? this.all.findIndex((each) => key(each) === key(row)) : 0;
    this.list.point(Math.max(0, index));
    if (index >= 0 && row && row.kind !== "present") this.panel.show(this.all[index], counted(this.all[index]));
  }

  arrive(added) {
    const top = this.all[0]?.kind === "present" ? 1 : 0;
    for (let index = top; index < top + added; index += 1) this.list.shown.get(index)?.classList.add("arriving");
  }

  news(number) {
    this.fresh = number;
    const bar = byId("news");
    bar.hidden = number === 0;
    if (number) put(bar, el("button", { type: "button", class: "button small primary", test: "news", onclick: () => this.choose(0) }, `${count(number, "new move")} above`));
  }

  choose(index, focus = true) {
    this.list.move(index, focus);
    const row = this.all?.[this.list.cursor];
    this.at = row && row.kind !== "present" ? key(row) : null;
    keepPlace(this.at);
    if (this.list.cursor <= 1) this.news(0);
    clearTimeout(this.choosing);
    this.choosing = setTimeout(() => this.panel.show(row, row?.kind === "present" ? this.presentCounts : row && counted(row)), focus ? 70 : 0);
    if (focus && NARROW.matches && this.pointed) this.open(index);
  }

  open(index) {
    const row = this.all?.[index];
    if (!row) return;
    if (row.kind === "present" || !row.snapshot) act("diff", row);
    else location.assign(snapshotUrl(row));
  }

  get row() {
    return this.all?.[this.list.cursor];
  }

  /** Go where everything began, unless somebody does something else before all is here. */
  async end() {
    const { feed } = this;
    if (!feed || !this.all) return;
    const seeking = (this.seeking = {});
    while (!feed.done && feed === this.feed && this.seeking === seeking) await this.loadMore(true).then(() => feed.loading);
    if (feed === this.feed && this.seeking === seeking) this.choose(this.all.length - 1);
  }
}

/** The present's row before the world was looked at. @returns {Row} */
function presentOf(lane) {
  const nothing = { move: null, level: "", verb: "", title: "", session: "", agent: "", undone_by: null, open: false, takes: [], trigger: "", labels: [], pinned: false, changed: 0, forks: [] };
  return { ...nothing, kind: "present", lane: lane.number, seq: 0, snapshot: null, before: lane.head, time_ns: `${Date.now()}000000` };
}

shell("timeline");
new Timeline().start().catch(failed);

/** One snapshot in full: what, when, who, what is in it, what is not, and what can be done with it. */
import { about, get, post } from "./api.js";
import { act, buttons } from "./actions.js";
import { bones, byId, el, put } from "./dom.js";
import { browser } from "./browser.js";
import { contextView, partView } from "./parts.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { listen } from "./live.js";
import { changes } from "./panel.js";
import { timelineUrl } from "./place.js";
import { promoteAt } from "./forks.js";
import { said } from "./said.js";
import { shell } from "./shell.js";
import { failed, toast } from "./toast.js";
import { troubleNotice, troublePage } from "./trouble.js";
import { ago, count, moment, short, title } from "./words.js";

const MOST = 300;

class SnapshotPage {
  constructor() {
    this.into = byId("snapshot");
    this.ref = decodeURIComponent(location.pathname.slice("/snapshot/".length));
    this.lane = new URLSearchParams(location.search).get("lane");
  }

  async start() {
    put(this.into, bones(38, 62, 50, 70, 44));
    this.known = await about();
    this.lanes = (await get("/api/lanes")).lanes;
    await this.load();
    listen("changed", ({ marks }) => marks && this.load());
    const on = (verb) => () => this.row && act(verb, this.row, () => this.load());
    bind(["d"], "Diff with the one before", on("diff"));
    bind(["D"], "Diff with the present", on("present"));
    bind(["r"], "Restore, with a plan first", on("restore"));
    bind(["z"], "Undo this move", on("undo"));
    bind(["Z"], "Redo it", on("redo"));
    bind(["f"], "Fork from here", on("fork"));
    bind(["P"], "Promote: do here what the fork has done", () => this.row && promoteAt(this.row, this.lanes, () => this.load(), this.known.read_only));
    bind(["p"], "Pin or unpin", on("pin"));
    bind(["m"], "Label", on("label"));
    bind(["x"], "Drop this snapshot, after a question", on("drop"));
    bind(["t", "Escape"], "To the timeline", () => location.assign(timelineUrl()));
  }

  async load() {
    try {
      this.shown = await get(`/api/snapshots/${encodeURIComponent(this.ref)}`, { lane: this.lane });
    } catch (error) {
      const dropped = this.shown && error.status === 404;
      put(this.into, troublePage(dropped ? { message: "This snapshot was dropped", hints: [`\`takeback drop ${short(this.shown.id)} --undo\` brings it back`] } : error));
      return;
    }
    if (!this.found) this.draw();
    this.found ??= await this.find();
    this.row = { ...asRow(this.shown), ...this.found };
    this.draw();
  }

  /** The row of the timeline that ends here: it knows the move. Far down in a long history it is not looked for. */
  async find() {
    let cursor = null;
    for (let tries = 0; tries < 3; tries += 1) {
      let page;
      try {
        page = await get("/api/rows", { lanes: this.shown.lane, text: this.shown.id, limit: 5, cursor });
      } catch (error) {
        failed(error);
        return null;
      }
      const row = page.rows.find((each) => each.kind === "move" && each.level !== "action") ?? page.rows[0];
      if (row) return { move: row.move, level: row.level, verb: row.verb, title: row.title, agent: row.agent, session: row.session, undone_by: row.undone_by, before: row.before, kind: row.kind };
      cursor = page.next;
      if (!cursor) break;
    }
    return {};
  }

  /** Until the row is known, nothing is offered that begins where the row begins. */
  draw() {
    const { shown } = this;
    const row = this.row ?? asRow(shown);
    document.title = `${short(shown.id)} · takeback`;
    put(
      this.into,
      el("nav", { class: "crumbs", "aria-label": "Where this is" }, el("a", { href: timelineUrl() }, icon("left", "small"), "Timeline")),
      el(
        "header",
        { class: "snapshot-head" },
        el("h1", {}, title(row)),
        el("p", { class: "quiet" }, el("span", { class: "id", test: "snapshot-id", title: shown.id }, short(shown.id)), " · ", shown.timeline, " · ", el("time", { title: moment(Date.parse(shown.time)) }, ago(Date.parse(shown.time))), ` · ${moment(Date.parse(shown.time))}`, row.agent ? ` · ${row.agent}` : ""),
        el("div", { class: "snapshot-chips" }, shown.pinned ? el("span", { class: "chip" }, icon("pin", "small"), "pinned") : null, shown.labels.map((name) => this.label(name))),
      ),
      el("div", { class: "actions" }, this.row ? buttons(row, this.known.read_only, () => this.load(), this.lanes) : bones(60)),
      honest(shown),
      el("section", { class: "block" }, el("h2", {}, "Parts"), el("div", { class: "part-list" }, Object.entries(shown.parts).map(([name, part]) => partView(name, part, shown, { lane: this.lane, ref: shown.id })))),
      this.row ? changed(row) : null,
      Object.values(shown.parts).some((part) => part.kind === "workspace") ? el("section", { class: "block" }, el("h2", {}, "Files"), browser({ lane: this.lane, ref: shown.id, part: Object.entries(shown.parts).find(([, part]) => part.kind === "workspace")[0] })) : null,
      Object.keys(shown.context).length ? el("section", { class: "block" }, el("h2", {}, "Context"), contextView(shown.context)) : null,
    );
  }

  label(name) {
    const remove = el("button", { type: "button", "aria-label": `Remove the label ${name}`, test: "label-remove" }, icon("close", "small"));
    remove.addEventListener("click", async () => {
      try {
        await post("/api/unlabel", { lane: this.row.lane, ref: this.shown.id, name });
        toast(`Label “${name}” removed`);
        await this.load();
      } catch (error) {
        failed(error);
      }
    });
    return el("span", { class: "chip name-chip", test: "label" }, el("span", {}, name), this.known.read_only ? null : remove);
  }
}

/** As a row, so that the same actions fit. */
function asRow(shown) {
  return {
    kind: shown.parent ? "snapshot" : "original",
    lane: shown.lane,
    seq: 0,
    snapshot: shown.id,
    before: shown.parent,
    time_ns: shown.time_ns,
    move: null,
    level: "",
    verb: "",
    title: shown.labels[0] ?? "",
    session: "",
    agent: "",
    undone_by: null,
    open: false,
    takes: [],
    trigger: shown.trigger,
    labels: [...shown.labels],
    pinned: shown.pinned,
    changed: shown.changed,
    forks: shown.forks,
  };
}

/** What is not in it: said first, not hidden at the end. */
function honest(shown) {
  const missed = Object.entries(shown.missed ?? {});
  return [
    missed.map(([part, why]) => el("p", { class: "notice bad", test: "missed" }, icon("warn"), el("span", {}, el("b", {}, `Without ${part}: `), said(why)))),
    shown.not_captured.length
      ? el(
          "details",
          { class: "notice warn fold", test: "not-captured" },
          el("summary", {}, `${count(shown.not_captured.length + (shown.left_out?.not_captured ?? 0), "path")} not captured, and never touched by a restore`),
          el("ul", { class: "plain-list" }, shown.not_captured.slice(0, MOST).map((each) => el("li", {}, el("span", { class: "mono" }, each.path), ` ${each.reason}${each.detail ? ` (${each.detail})` : ""}`)), shown.not_captured.length > MOST ? el("li", {}, "and more: ", said("`takeback show` lists them all")) : null),
        )
      : null,
  ];
}

/** What the move did, from where it began; of a snapshot that no move ends with, since the one before. */
function changed(row) {
  if (!row.before) return null;
  const box = el("div", { class: "panel-files" }, bones(46, 60));
  get("/api/diff", { lane: row.lane, a: row.before, b: row.snapshot }).then(
    (diff) => put(box, changes(row, diff)),
    (error) => put(box, troubleNotice(error)),
  );
  return el("section", { class: "block" }, el("h2", {}, "Changed"), box);
}

shell("");
new SnapshotPage().start().catch(failed);

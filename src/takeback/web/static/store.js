/** The store's page: what it holds, how it grew, who uses it, what is kept. */
import { get } from "./api.js";
import { bones, byId, el, put } from "./dom.js";
import { follow, problemOf } from "./jobs.js";
import { areaPlot, bar } from "./plots.js";
import { shell } from "./shell.js";
import { failed } from "./toast.js";
import { troubleNotice } from "./trouble.js";
import { ago, size } from "./words.js";

const POLICY = {
  keep_last: "Newest snapshots kept of each timeline",
  max_age: "Oldest age",
  max_bytes: "Most space for snapshots",
  min_free: "Space to leave free",
  upkeep: "Upkeep by itself",
};

async function start() {
  const into = byId("store");
  const words = el("p", { class: "quiet number" }, "Every snapshot is looked into: this takes a moment in a long history.");
  put(into, el("h1", {}, "Store"), words, bones(90, 70, 80));
  const asked = await get("/api/store");
  const job = asked.job ? await follow(asked.job?.id ?? asked.job, (now) => now.words && now.state === "running" && put(words, now.words)) : { state: "done", result: asked };
  if (job.state !== "done") {
    put(into, el("h1", {}, "Store"), troubleNotice(problemOf(job, "it was stopped")));
    return;
  }
  draw(into, job.result);
}

function draw(into, { usage, policy = [], path = "" }) {
  const { store } = usage;
  const sealed = store.sealed_bytes ?? store.packed_bytes + store.hot_bytes;
  const disk = store.bytes_on_disk ?? store.packed_bytes + store.catalogue_bytes;
  const factor = sealed ? usage.logical / sealed : 1;
  put(
    into,
    el("h1", {}, "Store"),
    path ? el("p", { class: "mono quiet store-path" }, path) : null,
    el(
      "div",
      { class: "figures" },
      figure("As plain copies", size(usage.logical), "what all snapshots would take"),
      figure("Stored", size(sealed), `${size(disk)} on disk`),
      factor > 1 ? figure("Saved", `${(100 * (1 - sealed / usage.logical)).toFixed(1)} %`, `${factor.toLocaleString("en", { maximumFractionDigits: factor < 10 ? 1 : 0 })}× smaller`, "accent") : figure("Saved", "–", "too little is stored to tell"),
      figure("Packs", store.packs.toLocaleString("en"), store.maintained_ns && store.maintained_ns !== "0" ? `packed ${ago(Number(store.maintained_ns) / 1e6)}` : "never packed yet"),
    ),
    usage.growth?.length > 1 ? plots(usage.growth) : null,
    shares(usage.shares),
    policies(policy),
  );
}

function figure(name, value, more, style = "") {
  return el("div", { class: `figure card ${style}`, test: "figure" }, el("span", { class: "quiet" }, name), el("b", { class: "number" }, value), el("small", { class: "quiet number" }, more));
}

function plots(growth) {
  const points = growth.map((each) => ({ time: Number(each.time_ns) / 1e6, plain: each.logical, stored: each.stored }));
  return el(
    "div",
    { class: "plots" },
    el("section", { class: "card plot", test: "plot" }, el("h2", {}, "Size over time"), el("p", { class: "legend" }, el("i", { class: "key plain-key" }), "plain copies", el("i", { class: "key stored-key" }), "stored"), areaPlot(points, [["plain", "plain copies"], ["stored", "stored"]], size)),
    el("section", { class: "card plot", test: "plot" }, el("h2", {}, "Saved"), el("p", { class: "legend" }, el("i", { class: "key saved-key" }), "of what plain copies would take"), areaPlot(points.map((each) => ({ time: each.time, saved: each.plain ? Math.max(0, 100 * (1 - each.stored / each.plain)) : 0 })), [["saved", "saved"]], (value) => `${Math.round(value)} %`, 100)),
  );
}

function shares(some) {
  if (!some.length) return null;
  const most = Math.max(1, ...some.map((each) => each.stored));
  const sorted = [...some].sort((a, b) => b.stored - a.stored);
  return el(
    "section",
    { class: "card shares" },
    el("h2", {}, "By timeline and part"),
    el("p", { class: "quiet" }, "What several share counts in each of them."),
    el(
      "table",
      { class: "grid by-part" },
      el("thead", {}, el("tr", {}, ["Timeline", "Part", "Snapshots", "Plain, each once", "Stored", "Share"].map((words, index) => el("th", { class: index > 1 && index < 5 ? "right" : "" }, index < 5 ? words : el("span", { class: "unseen" }, words))))),
      el("tbody", {}, sorted.map((each) => el("tr", { test: "share" }, el("td", { title: each.root }, each.timeline, el("small", { class: "quiet" }, ` ${each.root}`)), el("td", {}, each.part), el("td", { class: "right number", "data-name": each.snapshots === 1 ? "snapshot" : "snapshots" }, each.snapshots.toLocaleString("en")), el("td", { class: "right number unneeded" }, size(each.raw)), el("td", { class: "right number" }, size(each.stored)), el("td", { class: "bar-cell" }, bar(each.stored / most))))),
    ),
  );
}

function policies(policy) {
  if (!policy.length) return null;
  const limited = policy.some((each) => each.value && ["keep_last", "max_age", "max_bytes"].includes(each.name));
  return el(
    "section",
    { class: "card shares", test: "policy" },
    el("h2", {}, "What is kept"),
    el("p", { class: "quiet" }, limited ? "A snapshot beyond any of these limits goes; pinned ones stay." : "Everything: no limit is set, so no history goes by itself."),
    el("table", { class: "grid policy" }, el("tbody", {}, policy.map((each) => el("tr", {}, el("td", {}, POLICY[each.name] ?? each.name, el("small", { class: "mono quiet" }, ` ${each.name}`)), el("td", { class: "mono" }, each.value || "no limit"), el("td", { class: "quiet" }, each.origin))))),
  );
}

shell("store");
start().catch(failed);

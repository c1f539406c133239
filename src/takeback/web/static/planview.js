/** A plan for people: its effects by part with boxes, and everything that one should know first. */
import { el } from "./dom.js";
import { icon, partIcon } from "./icons.js";
import { said } from "./said.js";
import { ago, count } from "./words.js";

const STYLES = { create: "plus", delete: "minus", reset: "minus", merge: "label", change: "name", replace: "name", chmod: "name" };
const MOST = 200;

/** The effects. @param {any} plan @param {import("./choice.js").Choice} choice */
export function planView(plan, choice) {
  const groups = plan.groups ?? [];
  if (!groups.length) return el("p", { class: "nothing" }, plan.conflicts?.length ? "Nothing of it can be taken back without losing somebody's work." : "Nothing would change: everything is already so.");
  return groups.map((group) => {
    const list = el("ul", { class: "plan-items" }, group.items.slice(0, MOST).map((item) => itemLine(group, item, choice)));
    if (group.items.length > MOST) {
      const more = el("button", { type: "button", class: "button small plain" }, `Show ${count(group.items.length - MOST, "more path")}`);
      more.addEventListener("click", () => {
        more.replaceWith();
        list.append(...group.items.slice(MOST).map((item) => itemLine(group, item, choice)));
      });
      return section(group, choice, list, more);
    }
    return section(group, choice, list);
  });
}

function section(group, choice, ...inside) {
  return el(
    "section",
    { class: "plan-group", test: "plan-group", "data-part": group.part },
    el("label", { class: "plan-part" }, choice.partBox(group), partIcon(group.kind, "small"), el("b", {}, group.part), el("span", { class: "quiet number" }, group.whole ? "as a whole" : count(group.items.length, "path"))),
    inside,
  );
}

function itemLine(group, item, choice) {
  return el(
    "li",
    {},
    el("label", { class: "plan-item", test: "plan-item", "data-path": item.path, "data-action": item.action }, choice.itemBox(group, item), el("span", { class: `action ${STYLES[item.action] ?? "name"}` }, item.action), el("span", { class: "mono plan-path" }, item.path), item.merged ? el("span", { class: "chip" }, "both sides' changes") : null),
  );
}

/** Everything beside the effects, as the plan now says it. */
export function summary(plan, whole) {
  const reasons = plan.reasons ?? {};
  const reasoned = (paths) => paths.map((path) => [path, reasons[path] ?? ""]);
  return [
    ...undecided(plan),
    part("lost", "bad", "No snapshot can bring back", (plan.lost ?? []).map((each) => [each.path, `${each.how}${each.to ? ` to ${each.to}` : ""}`])),
    part("conflict", "bad", "Conflicts: left alone, because somebody's work would be lost", reasoned(plan.conflicts ?? [])),
    part("pending", "warn", "Lives in another program, which puts it in place at its next save or turn", (plan.pending ?? []).map((each) => [each, ""])),
    part("goes", "warn", "Would go, and is kept in the snapshot that is made first", (plan.goes ?? []).map((each) => [goingWords(each), ""])),
    part("outside", "warn", "Happened outside, and cannot be taken back", (plan.effects ?? []).map((each) => [each.what, `${each.kind}${each.time ? `, ${ago(Date.parse(each.time))}` : ""}`])),
    part("kept", "quiet", "Left as it is", (plan.kept ?? []).map((each) => [each.path, each.reason])),
    ...(plan.while_running ?? []).map((group) => part("running", "quiet", `Changed while “${group.command}” ran`, group.paths.map((each) => [each, ""]))),
    part("kept", "quiet", "Not in the snapshot, and left alone", (plan.not_captured ?? []).map((each) => [each.path, each.reason])),
    (plan.notes ?? []).map((note) => el("p", { class: "notice", test: "note" }, icon("info"), el("span", {}, said(note)))),
    (plan.hints ?? []).map((hint) => el("p", { class: "notice", test: "hint" }, icon("info"), el("span", {}, said(hint)))),
    plan !== whole && plan.changed ? el("p", { class: "quiet number" }, `${count(plan.changed.length, "change")} of ${whole.changed.length.toLocaleString("en")} chosen`) : null,
  ];
}

const DOUBTS = {
  "no end": "nothing tells when it ended",
  asked: "you were asked about it, and nothing tells when it ran",
  sessions: "commands of other sessions ran at the same time",
  "no times": "the times of files prove nothing here",
  near: "it changed right before or after the command",
};

/** Changes that may be somebody else's: by command, those that are left and those that come back because they are missing. */
function undecided(plan) {
  const left = new Set(plan.shared ?? []);
  const back = new Set(plan.brought_back ?? []);
  const groups = (plan.undecided ?? []).flatMap((group) => [
    ["Left alone, because it may be yours", group, group.paths.filter((path) => left.has(path))],
    ["Missing, so it comes back, although it may have been you", group, group.paths.filter((path) => back.has(path))],
  ]);
  return groups.map(([title, group, paths]) => part("kept", "warn", `${title}: “${group.command}”, ${DOUBTS[group.reason] ?? group.reason}`, paths.map((each) => [each, ""])));
}

function part(test, style, title, lines) {
  if (!lines.length) return null;
  return el(
    "section",
    { class: `aside-part ${style}-part`, test },
    el("h3", { class: style }, title),
    el("ul", {}, lines.slice(0, 60).map(([what, why]) => el("li", {}, el("span", { class: "mono" }, what), why ? el("span", { class: "quiet" }, ` ${why}`) : null)), lines.length > 60 ? el("li", { class: "quiet" }, `and ${(lines.length - 60).toLocaleString("en")} more`) : null),
  );
}

function goingWords(each) {
  const said = each.said ?? {};
  const about = said.subject ?? said.content ?? said.name ?? each.path;
  return `${each.what.replace(/s$/, "")} ${about}${said.status ? ` (${said.status}${each.becomes?.status ? ` → ${each.becomes.status}` : ""})` : ""}`;
}

/** What a plan is about, to be counted. */
export function noun(plan) {
  return plan.groups.every((group) => group.kind === "workspace" || group.kind === "worktree") ? "path" : "change";
}

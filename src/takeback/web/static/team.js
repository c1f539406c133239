/** What differs in a team, in its own terms: tasks, mail, costs, members. Everything in it was written by agents: shown as text. */
import { el, put } from "./dom.js";
import { icon } from "./icons.js";
import { count } from "./words.js";

const SIGNS = { added: ["+", "plus"], arrived: ["+", "plus"], removed: ["−", "minus"], gone: ["−", "minus"] };

/** @param {HTMLElement} into @param {any} diff */
export function teamView(into, diff) {
  if (!diff.team.length && !diff.teams.length) return put(into, el("div", { class: "empty" }, icon("check"), el("h2", {}, "Nothing differs in a team.")));
  put(into, el("div", { class: "teams" }, diff.teams.map((team) => teamCard(team, diff.team.filter((each) => each.part === team.part).length))));
}

function teamCard(team, paths) {
  return el(
    "section",
    { class: "card team", test: "team-change" },
    el("header", { class: "conversation-head" }, icon("team"), el("h2", {}, team.team), el("span", { class: "quiet" }, count(paths, "path"))),
    part("Members", ends(team.members), [...team.joined.map((name) => line("added", name)), ...team.left.map((name) => line("removed", name))]),
    part("Tasks", statuses(team.statuses), team.tasks.map(task)),
    part("Mail", "", team.mail.map(mail)),
    part("Costs", "", team.costs.map((each) => line("changed", `${each.agent || "?"}: ${words(each.events)} events, ${cents(each.cents.before)} → ${cents(each.cents.after)}`))),
    part("Sessions", "", Object.entries(team.sessions).map(([name, status]) => line(status, name))),
    part("Plans", "", Object.entries(team.plans).map(([name, status]) => line(status, name))),
    part("Other files", "", team.other.map((path) => line("changed", path))),
    part("Unreadable", "", team.unreadable.map((path) => line("changed", path))),
    team.events.before !== team.events.after ? el("p", { class: "file-note quiet" }, `Events ${words(team.events)}`) : null,
  );
}

function part(title, more, lines) {
  if (!lines.length) return null;
  return el("div", { class: "team-part" }, el("h3", {}, title, more ? el("span", { class: "quiet" }, ` ${more}`) : null), el("ul", {}, lines));
}

function line(status, ...inside) {
  const [sign, style] = SIGNS[status] ?? ["~", "name"];
  return el("li", {}, el("b", { class: `sign ${style}`, title: status }, sign), el("span", {}, inside));
}

function task(each) {
  const now = each.after ?? each.before;
  if (!now) return line(each.status, each.id, el("span", { class: "warn" }, " unreadable"));
  const state = (some) => `${some.status || "?"}${some.owner ? ` · ${some.owner}` : ""}`;
  const both = each.before && each.after;
  return line(each.status, el("b", {}, now.subject), " ", both && state(each.before) !== state(each.after) ? [el("span", { class: "old" }, state(each.before)), " → ", el("span", { class: "new" }, state(each.after))] : el("span", { class: "quiet" }, `${state(now)}${both ? ", other fields" : ""}`));
}

function mail(each) {
  return line(each.status, el("b", {}, `${each.sender || "?"} → ${each.inbox}`), each.dead ? el("span", { class: "warn" }, " dead letter") : null, each.text ? el("q", { class: "mail-text" }, each.text) : null);
}

const words = (pair) => (pair.before === pair.after ? `${pair.after}` : `${pair.before} → ${pair.after}`);
const ends = (pair) => (pair.before === pair.after ? "" : words(pair));
const cents = (value) => `$${(value / 100).toFixed(2)}`;
const statuses = (all) => Object.entries(all).map(([name, pair]) => `${name || "?"} ${words(pair)}`).join(", ");

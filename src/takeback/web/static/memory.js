/** What differs in an agent's memory: conversations as a chat, everything else place by place. */
import { get } from "./api.js";
import { bones, el, put } from "./dom.js";
import { icon } from "./icons.js";
import { conversationView } from "./messages.js";
import { troubleNotice } from "./trouble.js";
import { count } from "./words.js";

const SIGNS = { added: ["+", "plus"], removed: ["−", "minus"], moved: [">", "name"] };
const MOST = 300;

/** @param {HTMLElement} into @param {any} diff @param {Record<string, any>} where */
export async function memoryView(into, diff, where) {
  if (!diff.state.length) return put(into, el("div", { class: "empty" }, icon("check"), el("h2", {}, "No memory differs.")));
  const talks = el("div", { class: "talks" }, bones(44, 70, 58));
  put(into, el("div", { class: "memory" }, talks, byPart(diff.state)));
  try {
    const { conversations } = await get("/api/diff/messages", where);
    put(talks, conversations.map(conversationView));
  } catch (error) {
    put(talks, troubleNotice(error));
  }
}

function byPart(state) {
  const parts = [...new Set(state.map((each) => each.part))];
  return parts.map((part) => {
    const some = state.filter((each) => each.part === part);
    return el(
      "section",
      { class: "card places" },
      el("header", { class: "conversation-head" }, el("h2", {}, part), el("span", { class: "quiet" }, count(some.length, "difference"))),
      el("table", { class: "place-table" }, el("colgroup", {}, ["sign-column", "place-column", "", ""].map((name) => el("col", { class: name }))), el("thead", { class: "unseen" }, el("tr", {}, ["How", "Place", "Before", "After"].map((words) => el("th", {}, words)))), el("tbody", {}, some.slice(0, MOST).map(place))),
      some.length > MOST ? el("p", { class: "file-note quiet" }, `and ${(some.length - MOST).toLocaleString("en")} more: takeback diff lists them all`) : null,
    );
  });
}

function place(each) {
  const [sign, style] = SIGNS[each.status] ?? ["~", "name"];
  return el(
    "tr",
    { test: "state-change", "data-status": each.status },
    el("td", { class: `sign ${style}` }, sign),
    el("td", { class: "mono place" }, each.path || "all of it"),
    el("td", { class: "mono value" }, each.before === null ? "" : el("span", { class: each.status === "moved" ? "" : "old" }, each.before)),
    el("td", { class: "mono value" }, each.after === null ? "" : el("span", { class: each.status === "moved" ? "" : "new" }, each.after)),
  );
}

/** Conversations side by side, like a chat: what was said before on the left, after on the right. */
import { el } from "./dom.js";
import { count } from "./words.js";
import { wordDiff } from "./worddiff.js";

const LONG = 1600;

/** @param {import("./types.js").Conversation} conversation */
export function conversationView(conversation) {
  return el(
    "section",
    { class: "conversation card", test: "conversation" },
    el("header", { class: "conversation-head" }, el("h2", {}, conversation.part), conversation.path ? el("span", { class: "mono quiet" }, conversation.path) : null, el("span", { class: "quiet conversation-sum" }, summed(conversation.pairs))),
    el("div", { class: "chat-heads quiet", "aria-hidden": "true" }, el("span", {}, "Before"), el("span", {}, "After")),
    el("ol", { class: "chat" }, conversation.pairs.map(pairView)),
  );
}

function summed(pairs) {
  const number = (status) => pairs.filter((pair) => pair.status === status).length;
  return [["added", "added"], ["removed", "removed"], ["changed", "changed"]].filter(([status]) => number(status)).map(([status, words]) => `${number(status)} ${words}`).join(", ");
}

/** @param {import("./types.js").MessagePair} pair */
function pairView(pair) {
  if (pair.status === "gap") return el("li", { class: "chat-gap quiet" }, `${count(pair.index, "message")} the same on both sides`);
  const marks = pair.status === "changed" && pair.before && pair.after ? wordDiff(pair.before.text, pair.after.text) : null;
  return el(
    "li",
    { class: `chat-pair is-${pair.status}`, test: "message", "data-status": pair.status },
    el("span", { class: "unseen" }, `Message ${pair.index + 1}, ${pair.status}`),
    bubble(pair.before, pair.status === "removed" ? "gone" : pair.status === "changed" ? "was" : "", marks?.before),
    bubble(pair.after, pair.status === "added" ? "come" : pair.status === "changed" ? "now" : "", marks?.after),
  );
}

function bubble(message, style, pieces) {
  if (!message) return el("div", { class: "bubble absent", "aria-hidden": "true" });
  const role = /^(user|human)$/i.test(message.role) ? "from-user" : /^(assistant|ai|model)$/i.test(message.role) ? "from-agent" : "from-tool";
  const words = pieces ? pieces.map(([differs, text]) => (differs ? el("mark", { class: "hit" }, text) : text)) : message.text;
  const text = el("p", { class: message.text.length > LONG ? "bubble-text long" : "bubble-text" }, words);
  const whole = message.text.length > LONG ? el("button", { type: "button", class: "button small plain", onclick: (event) => (text.classList.remove("long"), event.target.remove()) }, "Show all of it") : null;
  return el("div", { class: `bubble ${role} ${style}` }, el("b", { class: "role" }, message.role || "message"), text, whole);
}

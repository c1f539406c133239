/** The parts of a snapshot: their kind and facts, and for a memory its outline, fetched when it is opened. */
import { get } from "./api.js";
import { bones, el, put } from "./dom.js";
import { partIcon } from "./icons.js";
import { count, short, size } from "./words.js";

const DOCUMENTS = new Set(["state", "transcript"]);
const HIDDEN = new Set(["kind", "content"]);
const MOST_LINES = 2000;
const ID = /^(sha256:)?[0-9a-f]{32,}$/;

/** @param {string} name @param {any} part */
export function partView(name, part, shown, where) {
  const facts = Object.entries(part).filter(([key, value]) => !HIDDEN.has(key) && ["string", "number", "boolean"].includes(typeof value)).slice(0, 6);
  const missed = name in (shown.missed ?? {});
  return el(
    "div",
    { class: "part card", test: "part", "data-part": name },
    el("div", { class: "part-head" }, partIcon(part.kind), el("b", {}, name), name === part.kind ? null : el("span", { class: "quiet" }, part.kind), missed ? el("span", { class: "badge warn" }, "as captured last") : null, el("span", { class: "part-facts quiet number" }, facts.map(([key, value]) => el("span", {}, fact(key, value))))),
    DOCUMENTS.has(part.kind) ? outline(name, where) : null,
  );
}

function fact(key, value) {
  if (key === "bytes" || key === "size") return size(value);
  if (typeof value === "number") return count(value, key.replace(/s$/, "").replaceAll("_", " "));
  const name = key.replaceAll("_", " ");
  if (value === true) return name;
  return `${name} ${ID.test(value) ? short(value) : String(value).replace(/^builtins:/, "")}`;
}

function outline(part, where) {
  const text = el("pre", { class: "outline", tabindex: "0", test: "outline", "aria-label": `Outline of ${part}` }, bones(30, 50, 40));
  const fold = el("details", { class: "fold" }, el("summary", {}, "Outline"), text);
  fold.addEventListener("toggle", async () => {
    if (!fold.open || fold.dataset.asked) return;
    fold.dataset.asked = "yes";
    try {
      const { lines, left_out } = await get("/api/value", { ...where, part });
      const more = Math.max(0, lines.length - MOST_LINES) + (left_out?.lines ?? 0);
      put(text, lines.slice(0, MOST_LINES).join("\n"), more ? `\n… and ${more.toLocaleString("en")} more lines` : "");
    } catch (error) {
      put(text, error.message);
    }
  });
  return fold;
}

/** What was noted when it was made. */
export function contextView(context) {
  return el("dl", { class: "facts card context", test: "context" }, Object.entries(context).map(([name, value]) => [el("dt", {}, name.replaceAll("_", " ")), el("dd", { class: "mono" }, typeof value === "object" && value !== null ? el("pre", {}, JSON.stringify(value, null, 2)) : String(value))]));
}

/** A picture before and after: beside each other, or one over the other with a handle to pull. */
import { el, put } from "./dom.js";

const PAUSE = 300;

/** @typedef {{url: string, words: string}|null} Side */

/** @param {{path: string, before: Side, after: Side}} pair */
export function imagePair({ path, before, after }) {
  const box = el("div", { class: "images" });
  if (!before || !after) {
    const only = before ?? after;
    put(box, figure(only, path, before ? "Before" : "After", before ? "image-before" : "image-after"));
    return box;
  }
  const stage = el("div", { class: "image-stage" });
  const segments = el("div", { class: "segments", role: "group", "aria-label": "How to compare the pictures" });
  const draw = (mode) => {
    for (const button of segments.children) button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    put(stage, mode === "swipe" ? swipe(path, before, after) : el("div", { class: "image-pair" }, figure(before, path, "Before", "image-before"), figure(after, path, "After", "image-after")));
  };
  put(segments, [["pair", "Side by side"], ["swipe", "Swipe"]].map(([mode, words]) => el("button", { type: "button", "data-mode": mode, onclick: () => draw(mode) }, words)));
  put(box, segments, stage);
  draw("pair");
  return box;
}

/** A picture; one that did not arrive is asked for once more. */
function picture(side, more) {
  const made = /** @type {HTMLImageElement} */ (el("img", { src: side.url, ...more }));
  made.addEventListener("error", () => setTimeout(() => (made.src = side.url), PAUSE), { once: true });
  return made;
}

function figure(side, path, words, test) {
  return el("figure", { class: `image ${words.toLowerCase()}` }, picture(side, { alt: `${path}, ${words.toLowerCase()}`, test }), el("figcaption", {}, words, el("span", { class: "quiet" }, ` ${side.words}`)));
}

function swipe(path, before, after) {
  const over = picture(before, { alt: `${path}, before`, class: "over" });
  const line = el("span", { class: "swipe-line" });
  const range = el("input", { type: "range", min: "0", max: "100", value: "50", "aria-label": "How much of the picture before is shown" });
  const pull = () => {
    over.style.clipPath = `inset(0 ${100 - range.value}% 0 0)`;
    line.style.left = `${range.value}%`;
  };
  range.addEventListener("input", pull);
  pull();
  return el("div", { class: "swipe" }, el("div", { class: "swipe-stack" }, picture(after, { alt: `${path}, after` }), over, line), range, el("p", { class: "quiet" }, "Left: before · right: after"));
}

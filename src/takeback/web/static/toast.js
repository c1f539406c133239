/** Short messages in the corner. One with something to press stays for a while, and waits while it is looked at. */
import { byId, el } from "./dom.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { said } from "./said.js";

const SHORT = 5_000;
const LONG = 24_000;

/**
 * @param {string} text
 * @param {{bad?: boolean, hint?: string, press?: {words: string, test?: string, run: () => void}}} [options]
 */
export function toast(text, { bad = false, hint = "", press } = {}) {
  const made = el("div", { class: bad ? "toast bad-toast" : "toast", test: "toast", role: bad ? "alert" : "status" });
  const close = () => made.remove();
  made.dataset.said = text;
  for (const older of [...byId("toasts").children]) if (/** @type {HTMLElement} */ (older).dataset.said === text) older.remove(); // once is enough
  made.append(icon(bad ? "warn" : "check"), el("div", { class: "toast-words" }, el("p", {}, said(text)), hint ? el("p", { class: "soft" }, said(hint)) : null));
  if (press) {
    for (const older of document.querySelectorAll(".toast [data-press]")) older.closest(".toast").remove();
    const button = el("button", { type: "button", class: "button small", test: press.test ?? "toast-undo", "data-press": true, title: `${press.words} (u)` }, press.words, el("kbd", { "aria-hidden": "true" }, "u"));
    button.addEventListener("click", () => {
      close();
      press.run();
    });
    made.append(button);
  }
  made.append(el("button", { type: "button", class: "icon-button", "aria-label": "Close this message", test: "toast-close", onclick: close }, icon("close", "small")));
  byId("toasts").append(made);
  stay(made, press || bad ? LONG : SHORT, close);
}

function stay(made, time, close) {
  let timer = setTimeout(close, time);
  const hold = () => clearTimeout(timer);
  const go = () => {
    clearTimeout(timer);
    timer = setTimeout(close, time);
  };
  made.addEventListener("pointerenter", hold);
  made.addEventListener("focusin", hold);
  made.addEventListener("pointerleave", go);
  made.addEventListener("focusout", go);
}

/** Say what went wrong, with the next step. */
export function failed(error) {
  if (error?.name === "AbortError") return;
  toast(error?.message ?? String(error), { bad: true, hint: error?.hints?.[0] });
}

bind(
  ["u"],
  "Press the button of the newest message: Undo",
  () => {
    const buttons = document.querySelectorAll(".toast [data-press]");
    /** @type {HTMLElement|undefined} */ (buttons[buttons.length - 1])?.click();
  },
  true,
);

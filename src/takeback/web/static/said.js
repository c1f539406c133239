/** What takeback says: between backticks stands what can be typed. It is shown as code, and a command can be copied. */
import { el, put } from "./dom.js";
import { icon } from "./icons.js";

const COMMAND = /^takeback( |$)/;
const LOOK = 1600;

/** A text of takeback's own, in pieces; it may hold names from snapshots, so each piece is text. @param {string} text */
export function said(text) {
  const pieces = text.split("`");
  if (pieces.length % 2 === 0) return [text]; // one backtick is alone: it is part of a name
  return pieces.map((piece, index) => (index % 2 === 0 ? piece : typed(piece)));
}

/** What can be typed. */
function typed(text) {
  const code = el("code", { class: "typed" }, text);
  return COMMAND.test(text) ? el("span", { class: "command", test: "command" }, code, copyButton(text, code)) : code;
}

function copyButton(text, code) {
  const button = el("button", { type: "button", class: "copy", title: "Copy", "aria-label": `Copy ${text}`, test: "copy" }, icon("copy", "small"));
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      put(button, icon("check", "small"));
      button.title = "Copied";
      setTimeout(() => put(button, icon("copy", "small")), LOOK);
    } catch {
      // A browser lets only pages that it trusts write there: what is selected can be copied by hand.
      getSelection()?.selectAllChildren(code);
    }
  });
  return button;
}

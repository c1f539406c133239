/** What the keys do on this page. */
import { el, put } from "./dom.js";
import { show } from "./dialog.js";
import { icon } from "./icons.js";
import { bound } from "./keys.js";

const NAMES = { ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", PageDown: "PgDn", PageUp: "PgUp" };

export function help() {
  show({ class: "help-dialog", test: "help-dialog", label: "Keyboard shortcuts" }, (dialog) => {
    put(
      dialog,
      el("header", {}, el("h2", {}, "Keyboard"), el("button", { type: "button", class: "icon-button", "aria-label": "Close", onclick: () => dialog.close() }, icon("close"))),
      el(
        "dl",
        { class: "key-list" },
        bound().map((each) => el("div", {}, el("dt", {}, each.keys.map((key) => el("kbd", {}, NAMES[key] ?? key))), el("dd", {}, each.words))),
      ),
    );
  });
}

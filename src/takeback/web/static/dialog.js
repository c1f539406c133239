/** Dialogs: the browser's own, which keep the focus inside and make the rest inert; it goes back to where it was. */
import { el, put } from "./dom.js";

/**
 * Show a dialog, with what `build` makes of it.
 * @param {{class?: string, test: string, label: string}} about
 * @param {(dialog: HTMLDialogElement) => void} build
 * @returns {HTMLDialogElement}
 */
export function show({ class: more = "", test, label }, build) {
  const before = document.activeElement;
  const dialog = /** @type {HTMLDialogElement} */ (el("dialog", { class: `dialog ${more}`.trim(), test, "aria-label": label }));
  build(dialog);
  document.body.append(dialog);
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog && outside(dialog, event)) dialog.requestClose ? dialog.requestClose() : dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
  });
  dialog.showModal();
  return dialog;
}

function outside(dialog, event) {
  const box = dialog.getBoundingClientRect();
  return event.clientX < box.left || event.clientX > box.right || event.clientY < box.top || event.clientY > box.bottom;
}

/**
 * @typedef {{name: string, label: string, value?: string, hint?: string, required?: boolean}} Field
 * Ask for a few words, or only whether.
 * @param {{title: string, words?: string, inside?: Node[], fields: Field[], ok: string, bad?: boolean}} question `bad`: what is asked takes something away
 * @returns {Promise<Record<string, string>|null>} null if it was left
 */
export function ask({ title, words, inside = [], fields, ok, bad = false }) {
  return new Promise((resolve) => {
    let answer = null;
    const dialog = show({ class: "small-dialog", test: "ask", label: title }, (made) => {
      const inputs = fields.map((field) => [field, el("input", { class: "field", name: field.name, value: field.value ?? "", required: field.required !== false, autocomplete: "off", spellcheck: "false", test: "ask-field" })]);
      const form = el(
        "form",
        {},
        el("h2", {}, title),
        words ? el("p", { class: "soft" }, words) : null,
        inside,
        inputs.map(([field, input]) => el("label", { class: "labelled" }, el("span", {}, field.label), input, field.hint ? el("small", { class: "quiet" }, field.hint) : null)),
        el(
          "div",
          { class: "row-of-buttons" },
          el("button", { type: "button", class: "button plain", test: "ask-cancel", onclick: () => made.close() }, "Cancel"),
          el("button", { type: "submit", class: bad ? "button primary takes" : "button primary", test: "ask-ok" }, ok),
        ),
      );
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        answer = Object.fromEntries(inputs.map(([field, input]) => [field.name, input.value.trim()]));
        made.close();
      });
      put(made, form);
    });
    /** @type {HTMLElement|null} */ (dialog.querySelector("input, [data-test=ask-cancel]"))?.focus();
    dialog.addEventListener("close", () => resolve(answer));
  });
}

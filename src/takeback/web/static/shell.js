/** The head of every page: where we are, whether it is live, colours, help. Every page imports this first. */
import { about } from "./api.js";
import { byId, el, put } from "./dom.js";
import { help } from "./help.js";
import { icon } from "./icons.js";
import { bind } from "./keys.js";
import { listen } from "./live.js";
import { failed } from "./toast.js";

const STATES = { waiting: "Connecting", live: "Live", lost: "Reconnecting", refused: "Open the new address" };
const THEMES = ["system", "light", "dark"];
const THEME_ICONS = { system: "system", light: "sun", dark: "moon" };

/** @param {string} page as in data-page of the navigation; "" for pages that are not in it */
export function shell(page) {
  document.querySelector(`[data-page="${page}"]`)?.setAttribute("aria-current", "page");
  listen("state", (state) => {
    const status = byId("status");
    status.dataset.state = state;
    status.title = state === "refused" ? "takeback web was started again: open the address that it printed" : "";
    put(/** @type {HTMLElement} */ (status.lastElementChild), STATES[state]);
  });
  put(byId("help"), icon("keys")).addEventListener("click", help);
  bind(["?"], "This help", help, true);
  colours();
  about().then((known) => {
    const root = byId("root");
    put(root, known.root);
    root.title = `${known.root}\nstore: ${known.store}\ntakeback ${known.version}`;
    put(byId("read-only"), icon("lock", "small"), el("span", {}, "Read-only")).hidden = !known.read_only;
  }, failed);
}

function colours() {
  const button = byId("theme");
  const show = (theme) => {
    put(button, icon(THEME_ICONS[theme]));
    button.title = `Colours: ${theme === "system" ? "as the system" : theme}`;
    button.setAttribute("aria-label", button.title);
  };
  show(document.documentElement.dataset.theme ?? "system");
  button.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? "system";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("takeback.theme", next);
    } catch {
      // It holds for this page, then.
    }
    show(next);
  });
}

/** Something this browser remembers; the fallback if it cannot. */
export function remembered(name, fallback) {
  try {
    return localStorage.getItem(`takeback.${name}`) ?? fallback;
  } catch {
    return fallback;
  }
}

export function remember(name, value) {
  try {
    localStorage.setItem(`takeback.${name}`, value);
  } catch {
    // Only a preference.
  }
}

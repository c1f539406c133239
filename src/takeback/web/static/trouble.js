/** What went wrong, where something was to be seen: what, and the next steps. */
import { el } from "./dom.js";
import { icon } from "./icons.js";
import { timelineUrl } from "./place.js";
import { said } from "./said.js";

/** In a place on the page. @param {{message: string, hints?: string[]}} error */
export function troubleNotice(error, test = "trouble") {
  const hints = (error.hints ?? []).map((hint) => el("p", { test: "hint" }, said(hint)));
  return el("div", { class: "notice bad", role: "alert", test }, icon("warn"), el("div", {}, el("b", {}, said(error.message)), hints));
}

/** In place of a page. @param {{message: string, hints?: string[]}} error */
export function troublePage(error) {
  const hints = (error.hints ?? []).map((hint) => el("p", { test: "hint" }, said(hint)));
  return el("div", { class: "empty", test: "trouble" }, icon("warn"), el("h2", {}, said(error.message)), hints, el("a", { class: "button", href: timelineUrl() }, icon("left", "small"), "Back to the timeline"));
}

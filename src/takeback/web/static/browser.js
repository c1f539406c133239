/** The files of a snapshot, directory by directory; nothing is fetched before it is opened. */
import { address, get } from "./api.js";
import { bones, el, put } from "./dom.js";
import { icon } from "./icons.js";
import { troubleNotice } from "./trouble.js";
import { fileName, size } from "./words.js";

const MOST = 1000;

/** @param {{lane: string|null, ref: string, part: string}} where */
export function browser(where) {
  const box = el("div", { class: "browse card", test: "browse" });
  const open = async (path) => {
    put(box, el("div", { class: "browse-wait" }, bones(30, 45, 36)));
    try {
      const { entries, left_out } = await get("/api/files", { ...where, path });
      put(box, crumbs(path, open), entries.length ? el("ul", {}, sorted(entries).slice(0, MOST).map((entry) => line(entry, where, open))) : el("p", { class: "quiet browse-note" }, "It is empty."));
      const more = Math.max(0, entries.length - MOST) + (left_out?.entries ?? 0);
      if (more) box.append(el("p", { class: "quiet browse-note" }, `and ${more.toLocaleString("en")} more`));
    } catch (error) {
      put(box, crumbs(path, open), troubleNotice(error));
    }
  };
  open("");
  return box;
}

function sorted(entries) {
  return [...entries].sort((a, b) => Number(b.kind === "directory") - Number(a.kind === "directory") || (a.path < b.path ? -1 : 1));
}

function crumbs(path, open) {
  const names = path ? path.split("/") : [];
  return el(
    "nav",
    { class: "browse-crumbs", "aria-label": "Directory" },
    el("button", { type: "button", class: "button small plain", onclick: () => open("") }, icon("folder", "small"), "/"),
    names.map((name, index) => [el("span", { class: "quiet" }, index ? "/" : ""), el("button", { type: "button", class: "button small plain mono", onclick: () => open(names.slice(0, index + 1).join("/")) }, name)]),
  );
}

function line(entry, where, open) {
  const drawn = icon(entry.kind === "directory" ? "folder" : entry.kind === "link" ? "link" : "files", "small");
  const name = el("span", { class: "clip" }, fileName(entry.path));
  const facts = el("span", { class: "quiet number" }, entry.kind === "file" ? size(entry.size) : "");
  const mode = el("span", { class: "quiet mono browse-mode" }, (entry.mode & 0o7777).toString(8));
  if (entry.kind === "directory") return el("li", {}, el("button", { type: "button", class: "browse-entry", test: "browse-entry", "data-path": entry.path, onclick: () => open(entry.path) }, drawn, name, facts, mode));
  if (entry.kind === "file") return el("li", {}, el("a", { class: "browse-entry", test: "browse-entry", "data-path": entry.path, href: address("/api/raw", { ...where, path: entry.path }), title: "Download, or look at a picture" }, drawn, name, facts, mode));
  return el("li", {}, el("span", { class: "browse-entry", test: "browse-entry", "data-path": entry.path }, drawn, name, facts, mode));
}

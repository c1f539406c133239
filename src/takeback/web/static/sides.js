/** Lines of a diff, side by side or unified, from the same rows. Long ones are drawn as they come into sight. */
import { el } from "./dom.js";

const PIECE = 300;

/** @typedef {import("./types.js").SideRow} SideRow */

/** @param {import("./types.js").Hunk[]} hunks @param {string} mode "side" or "unified" @param {boolean} [heads] whether to say where lines are */
export function drawSides(hunks, mode, heads = true) {
  if (!hunks.length) return null;
  const lines = hunks.flatMap((hunk, number) => [...(heads ? [{ head: hunk.head, number }] : []), ...(mode === "side" ? hunk.rows.map((row) => ({ row })) : unified(hunk.rows))]);
  const columns = mode === "side" ? ["no", "code", "no", "code"] : ["no", "no", "code"];
  const table = el("table", { class: `lines ${mode}` }, el("colgroup", {}, columns.map((name) => el("col", { class: name }))));
  if (mode === "side") keepToOneSide(table);
  const draw = mode === "side" ? sideLine : unifiedLine;
  let at = 0;
  const more = () => {
    const piece = lines.slice(at, at + PIECE);
    at += piece.length;
    const body = el("tbody", {}, piece.map((line) => (line.head !== undefined ? headLine(line, columns.length) : draw(line.row))));
    table.append(body);
    if (at < lines.length) whenNear(body, more);
  };
  more();
  return el("div", { class: "lines-box" }, table);
}

function whenNear(body, then) {
  const watch = new IntersectionObserver(
    (seen) => {
      if (!seen.some((each) => each.isIntersecting)) return;
      watch.disconnect();
      then();
    },
    { rootMargin: "1200px" },
  );
  requestAnimationFrame(() => watch.observe(body.lastElementChild));
}

/** Selecting text takes one side only. */
function keepToOneSide(table) {
  table.addEventListener("pointerdown", (event) => {
    const cell = event.target instanceof Element ? event.target.closest("td") : null;
    if (cell) table.dataset.side = cell.classList.contains("right") ? "right" : "left";
  });
}

/** Changed lines as removed and added ones, in runs. @param {SideRow[]} rows */
function unified(rows) {
  const made = [];
  let late = [];
  const flush = () => {
    made.push(...late);
    late = [];
  };
  for (const row of rows) {
    if (row.kind === "~") {
      made.push({ row: { ...row, kind: "-", right_no: null, right: [] } });
      late.push({ row: { ...row, kind: "+", left_no: null, left: [] } });
    } else {
      if (row.kind !== "-") flush();
      made.push({ row });
    }
  }
  flush();
  return made;
}

function headLine({ head, number }, span) {
  return el("tr", { class: number ? "hunk" : "hunk first" }, el("td", { colspan: span }, head));
}

/** @param {SideRow} row */
function sideLine(row) {
  const left = row.kind === "-" || row.kind === "~" ? "minus-line" : row.left_no === null ? "void" : "";
  const right = row.kind === "+" || row.kind === "~" ? "plus-line" : row.right_no === null ? "void" : "";
  return el(
    "tr",
    { test: "diff-line", "data-kind": row.kind },
    el("td", { class: `no left ${left}` }, row.left_no ?? ""),
    el("td", { class: `code left ${left}` }, row.left_no === null ? "" : code(row.left)),
    el("td", { class: `no right ${right}` }, row.right_no ?? ""),
    el("td", { class: `code right ${right}` }, row.right_no === null ? "" : code(row.right)),
  );
}

/** @param {SideRow} row */
function unifiedLine(row) {
  const style = row.kind === "-" ? "minus-line" : row.kind === "+" ? "plus-line" : "";
  const sign = row.kind === "-" ? "−" : row.kind === "+" ? "+" : " ";
  return el(
    "tr",
    { test: "diff-line", "data-kind": row.kind },
    el("td", { class: `no ${style}` }, row.left_no ?? ""),
    el("td", { class: `no ${style}` }, row.right_no ?? ""),
    el("td", { class: `code ${style}` }, el("span", { class: "line-sign", "aria-hidden": "true" }, sign), code(row.kind === "+" ? row.right : row.left)),
  );
}

/** @param {import("./types.js").Spans} spans */
export function code(spans) {
  return spans.map(([style, text]) => {
    if (!style) return text;
    const hit = style.startsWith("!");
    const kind = hit ? style.slice(1) : style;
    return el("span", { class: `${hit ? "hit" : ""}${hit && kind ? " " : ""}${kind ? `tok-${kind}` : ""}` }, text);
  });
}

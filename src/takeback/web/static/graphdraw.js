/** One row's slice of the graph, as SVG. */
import { svg } from "./dom.js";

/**
 * @param {SVGElement} into the slice, which is emptied first
 * @param {import("./graph.js").Place} place
 * @param {import("./types.js").Row} row
 * @param {{column: number, height: number, width: number}} sizes in pixels, but `width` in columns
 */
export function drawSlice(into, place, row, { column, height, width }) {
  const at = (x) => Math.round((x + 0.75) * column * 2) / 2;
  const middle = height / 2;
  const full = at(width) + 2;
  into.setAttribute("viewBox", `0 0 ${full} ${height}`);
  into.setAttribute("width", String(full));
  into.setAttribute("height", String(height));
  into.replaceChildren(
    ...place.strokes.map((stroke) => path(stroke, at, middle, height)),
    ...node(row, at(place.x), middle, place.colour, column),
  );
}

function path(stroke, at, middle, height) {
  const x = at(stroke.x);
  const to = at(stroke.to ?? stroke.x);
  const away = Math.sign(to - x) * -1 || 1;
  const r = Math.min(6, Math.abs(x - to));
  const d = {
    full: () => `M${x} 0V${height}`,
    down: () => `M${x} ${middle}V${height}`,
    in: () => (x === to ? `M${x} 0V${middle}` : `M${x} 0C${x} ${middle * 0.85} ${to} ${middle * 0.15} ${to} ${middle}`),
    arc: () => `M${x} 0V${height}`,
    "arc-start": () => `M${to} ${middle}H${x - away * r}Q${x} ${middle} ${x} ${middle + r}V${height}`,
    "arc-tick": () => `M${x} 0V${height}M${x} ${middle}H${to + away * 6}`,
    "arc-end": () => `M${x} 0V${middle - r}Q${x} ${middle} ${x - away * r} ${middle}H${to + away * 6}M${to + away * 9} ${middle - 3}L${to + away * 6} ${middle}L${to + away * 9} ${middle + 3}`,
  }[stroke.shape]();
  const kind = stroke.shape.startsWith("arc") ? "stroke arc" : stroke.fork ? "stroke fork" : "stroke";
  return svg("path", { d, class: `${kind} ${stroke.colour}` });
}

/** The mark of a row: filled for an agent's move, hollow for a snapshot, an arrow back for what takeback did. */
function node(row, x, y, colour, column) {
  const r = column < 12 ? 3.5 : row.level === "action" ? 3 : 5;
  if (row.kind === "present") return [svg("circle", { cx: x, cy: y, r: r + 3.500, class: "node-halo c0" }), svg("circle", { cx: x, cy: y, r, class: "node-hollow c0" })];
  if (row.verb) {
    const big = r + 3;
    const turn = row.verb === "redo" ? -1 : 1;
    const arrow = `M${x - turn * 0.6} ${y - 3.400}L${x - turn * 3.400} ${y - 0.800}L${x - turn * 0.6} ${y + 1.800}M${x - turn * 3} ${y - 0.800}H${x + turn}A2.300 2.300 0 0 ${turn === 1 ? 1 : 0} ${x + turn} ${y + 3.800}`;
    return column < 12
      ? [svg("circle", { cx: x, cy: y, r, class: `node-hollow ${colour}` })]
      : [svg("circle", { cx: x, cy: y, r: big, class: `node-hollow ${colour}` }), svg("path", { d: arrow, class: `node-arrow ${colour}` })];
  }
  if (row.kind === "original") return [svg("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, rx: 1.5, class: `node-hollow ${colour}` })];
  const hollow = row.kind === "snapshot" || row.open || row.undone_by;
  return [svg("circle", { cx: x, cy: y, r, class: `${hollow ? "node-hollow" : "node"} ${colour}${row.undone_by ? " node-undone" : ""}` })];
}

/** Plots drawn by hand, as SVG that scales: areas over time with an axis, and bars. */
import { el, svg } from "./dom.js";
import { moment } from "./words.js";

/** Narrow on a phone, so that the words on it are not drawn smaller. */
const WIDTH = matchMedia("(max-width: 720px)").matches ? 360 : 640;
const HEIGHT = 220;
const LEFT = 64;
const BOTTOM = 24;
const TOP = 10;
const MOST_POINTS = 400;

/**
 * @param {{time: number}[]} points by time
 * @param {[string, string][]} series field and words, the largest first
 * @param {(value: number) => string} say a value in words
 * @param {number} [most] the top of the axis; as high as the values if left out
 */
export function areaPlot(points, series, say, most = 0) {
  const some = thinned(points);
  const top = most || nice(Math.max(1, ...some.flatMap((point) => series.map(([field]) => point[field]))));
  const [first, last] = [some[0].time, some[some.length - 1].time];
  const x = (time) => LEFT + ((time - first) / Math.max(1, last - first)) * (WIDTH - LEFT - 8);
  const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
  const drawn = svg("svg", { class: "area-plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": described(some, series, say) });
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    drawn.append(svg("line", { class: "grid-line", x1: LEFT, x2: WIDTH - 8, y1: y(top * part), y2: y(top * part) }), svg("text", { class: "tick", x: LEFT - 8, y: y(top * part) + 4, "text-anchor": "end" }, say(top * part)));
  }
  drawn.append(svg("text", { class: "tick", x: LEFT, y: HEIGHT - 6 }, day(first, last)), svg("text", { class: "tick", x: WIDTH - 8, y: HEIGHT - 6, "text-anchor": "end" }, day(last, first)));
  for (const [field] of series) {
    const line = some.map((point) => `${x(point.time).toFixed(1)} ${y(point[field]).toFixed(1)}`).join("L");
    drawn.append(svg("path", { class: `area ${field}`, d: `M${x(first)} ${y(0)}L${line}L${x(last)} ${y(0)}Z` }), svg("path", { class: `area-line ${field}`, d: `M${line}` }));
  }
  return el("div", { class: "plot-box" }, drawn, pointer(drawn, some, series, say, x, y));
}

/** What is under the pointer, in words. */
function pointer(drawn, points, series, say, x, y) {
  const words = el("p", { class: "plot-words number", "aria-hidden": "true" });
  const line = svg("line", { class: "plot-line", y1: TOP, y2: HEIGHT - BOTTOM, visibility: "hidden" });
  drawn.append(line);
  drawn.addEventListener("pointermove", (event) => {
    const box = drawn.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width) * WIDTH;
    const near = points.reduce((best, point) => (Math.abs(x(point.time) - at) < Math.abs(x(best.time) - at) ? point : best));
    line.setAttribute("x1", String(x(near.time)));
    line.setAttribute("x2", String(x(near.time)));
    line.setAttribute("visibility", "visible");
    words.textContent = `${moment(near.time)} · ${series.map(([field, name]) => `${name} ${say(near[field])}`).join(", ")}`;
  });
  drawn.addEventListener("pointerleave", () => {
    line.setAttribute("visibility", "hidden");
    words.textContent = "";
  });
  return words;
}

function thinned(points) {
  const step = Math.ceil(points.length / MOST_POINTS);
  return step === 1 ? points : points.filter((_, index) => index % step === 0 || index === points.length - 1);
}

function described(points, series, say) {
  const last = points[points.length - 1];
  return `From ${moment(points[0].time)} to ${moment(last.time)}; at the end ${series.map(([field, name]) => `${name} ${say(last[field])}`).join(", ")}`;
}

function nice(value) {
  const base = 1024 ** Math.floor(Math.log(value) / Math.log(1024));
  const steps = [1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
  return base * (steps.find((step) => step * base >= value) ?? 1024);
}

function day(time, other) {
  const close = Math.abs(time - other) < 36 * 3600 * 1000;
  return new Date(time).toLocaleString("en", close ? { hour: "2-digit", minute: "2-digit", hour12: false } : { month: "short", day: "numeric" });
}

/** A bar of some part of the whole. */
export function bar(part) {
  const drawn = svg("svg", { class: "bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("rect", { class: "bar-ground", width: 100, height: 8, rx: 2 }), svg("rect", { class: "bar-part", width: Math.max(0.8, 100 * part).toFixed(1), height: 8, rx: 2 }));
  return drawn;
}

/** Our own drawings, on a grid of 16. */
import { svg } from "./dom.js";

const PATHS = {
  files: ["M4 1.8h5l3.2 3.2v9.200H4z", "M8.800 2v3.200H12"],
  memory: ["M2.500 4.500a2 2 0 0 1 2-2h7a2 2 0 0 1 2 2v4.800a2 2 0 0 1-2 2H7.500L4.500 14v-2.700a2 2 0 0 1-2-2z", "M5.500 5.800h5M5.500 8.200h3"],
  container: ["M8 1.800 13.800 5v6L8 14.200 2.200 11V5z", "M2.400 5.100 8 8.200l5.600-3.100M8 8.200v5.800"],
  team: ["M5.800 7.300a2.400 2.400 0 1 0 0-4.800 2.400 2.400 0 0 0 0 4.800z", "M1.500 13.500c.3-2.600 2-4 4.300-4s4 1.400 4.300 4", "M10.500 2.900a2.300 2.300 0 0 1 0 4.200M12.300 9.900c1.300.6 2 1.800 2.200 3.600"],
  transcript: ["M3 2.500h10v11H3z", "M5.500 5.500h5M5.500 8h5M5.500 10.500h3"],
  pin: ["M5.500 2h5M6.300 2v4.300L4 9h8L9.700 6.300V2M8 9v5"],
  diff: ["M5 2v6M2 5h6", "M8.500 12.500h5", "M13 2.500 3 13.500"],
  compare: ["M8 1.500v13", "M5.500 4H2v8h3.500M10.500 4H14v8h-3.500"],
  back: ["M6.500 3 2.800 6.700l3.700 3.700", "M3.200 6.700h6a3.900 3.900 0 0 1 0 7.800H6"],
  redo: ["m9.500 3 3.700 3.700-3.700 3.700", "M12.800 6.700h-6a3.900 3.900 0 0 0 0 7.800H10"],
  promote: ["M12 10.500v-5", "M4 14.100a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600z", "M4 10.500c0-4 8-1 8-5", "m9.500 4.800 2.500-2.800 2.500 2.800"],
  copy: ["M5.500 5.500h8v8h-8z", "M10.500 5.300V2.500h-8v8h2.800"],
  drop: ["M2.500 4h11M6 4V2.300h4V4M4 4l.7 9.700h6.600L12 4M6.800 6.800v4.200M9.200 6.800v4.200"],
  fork: ["M4 5.500v5", "M4 5.500a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600zM4 14.100a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600zM12 5.500a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600z", "M12 5.500c0 3-8 2-8 5"],
  label: ["M2 2.500h5.500l6.300 6.300-5.300 5.300L2 7.800z", "M5 5.500h.01"],
  search: ["M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM14 14l-3.400-3.400"],
  close: ["m4 4 8 8M12 4l-8 8"],
  check: ["m3 8.500 3.500 3.500L13 4.500"],
  warn: ["M8 2 14.500 13.500h-13z", "M8 6.500v3M8 11.500h.01"],
  info: ["M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z", "M8 7.300v3.500M8 5.200h.01"],
  shield: ["M8 1.800 13 3.600v4c0 3.100-2 5.400-5 6.600-3-1.200-5-3.500-5-6.600v-4z", "m5.800 8 1.600 1.600 3-3.200"],
  lock: ["M4 7.200h8v6.300H4z", "M5.700 7V5.200a2.300 2.300 0 0 1 4.600 0V7"],
  sun: ["M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6z", "M8 1.500v1M8 13.500v1M1.500 8h1M13.500 8h1M3.400 3.400l.7.7M11.900 11.900l.7.7M12.600 3.400l-.7.7M4.100 11.900l-.7.7"],
  moon: ["M13.500 9.300A5.800 5.800 0 0 1 6.700 2.500a5.800 5.800 0 1 0 6.800 6.800z"],
  system: ["M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z", "M8 2v12M8 5h4.800M8 8h6M8 11h4.800"],
  keys: ["M1.500 4h13v8h-13z", "M4 6.500h.01M6.700 6.500h.01M9.300 6.500h.01M12 6.500h.01M4.500 9.500h7"],
  folder: ["M1.800 3.500h4l1.500 1.800h6.900v7.700H1.800z"],
  link: ["M6.500 9.500 9.500 6.500", "M7.200 4.800 9 3a2.800 2.800 0 0 1 4 4l-1.800 1.800M8.800 11.200 7 13a2.800 2.800 0 0 1-4-4l1.800-1.800"],
  down: ["m4 6 4 4 4-4"],
  right: ["m6 4 4 4-4 4"],
  left: ["M10 3.500 5.500 8l4.500 4.500"],
  lanes: ["M4 2v12M8 2v3c0 3 4 2 4 5v4"],
  open: ["M9.500 2.500h4v4M13.200 2.800 7.500 8.500", "M12 9.500v4H2.500V4h4"],
};

const OF_KIND = { workspace: "files", worktree: "files", state: "memory", memory: "memory", container: "container", team: "team", transcript: "transcript", conversation: "transcript" };

/**
 * @param {keyof typeof PATHS} name
 * @param {string} [more] further classes
 */
export function icon(name, more = "") {
  const paths = PATHS[name] ?? PATHS.info;
  return svg(
    "svg",
    { class: `icon ${more}`.trim(), viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    paths.map((d) => svg("path", { d })),
  );
}

/** The drawing for a part, by its kind or else its name. */
export function partIcon(kindOrName, more = "") {
  return icon(OF_KIND[kindOrName] ?? (/team/.test(kindOrName) ? "team" : /container|sandbox/.test(kindOrName) ? "container" : "memory"), more);
}

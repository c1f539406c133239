/** Numbers, sizes and times as people read them; the same words as on the command line. */

// Making one of these is slow, and rows ask for them while one scrolls.
const NUMBER = new Intl.NumberFormat("en");
const DAY = new Intl.DateTimeFormat("en", { month: "short", day: "numeric" });
const FAR_DAY = new Intl.DateTimeFormat("en", { year: "numeric", month: "short", day: "numeric" });
const MOMENT = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** `2,041` */
export function digits(number) {
  return NUMBER.format(number);
}

/** `1 file`, `2,041 files` */
export function count(number, noun) {
  return `${digits(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** `12 kB`, as powers of 1024. */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = Number(bytes);
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const places = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString("en", { maximumFractionDigits: places })} ${units[unit]}`;
}

/** Nanoseconds as a string of digits → milliseconds. */
export function ms(time_ns) {
  return Number(time_ns) / 1e6;
}

const STEPS = [
  [60, "s"],
  [60, "min"],
  [24, "h"],
  [7, "d"],
];

/** `now`, `5 min ago`, then the date. */
export function ago(time, now = Date.now()) {
  let value = Math.max(0, (now - time) / 1000);
  if (value < 5) return "now";
  for (const [most, unit] of STEPS) {
    if (value < most) return `${Math.floor(value)} ${unit} ago`;
    value /= most;
  }
  const date = new Date(time);
  const same = date.getFullYear() === new Date(now).getFullYear();
  return (same ? DAY : FAR_DAY).format(date);
}

/** The whole date and time, here. */
export function moment(time) {
  return MOMENT.format(new Date(time));
}

/** The first eight digits of an id. */
export function short(id) {
  return id ? id.slice(0, 8) : "";
}

/** The end of a path: what one looks for. */
export function fileName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

const TRIGGERS = {
  manual: "Saved by hand",
  run_start: "Changed before a run",
  run_end: "After a run",
  turn_start: "Changed before a turn",
  turn_end: "After a turn",
  before_action: "Changed before an action",
  after_action: "After an action",
  session_end: "End of a session",
  interval: "Saved by the clock",
  on_error: "After an error",
  safety: "Saved before a change",
  restore: "After a restore",
  undo: "After an undo",
  redo: "After a redo",
  fork: "Start of a fork",
};

/** Why a snapshot was made, or what an operation was. */
export function because(trigger) {
  const plain = trigger.replaceAll("_", " ");
  return TRIGGERS[trigger] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
}

const VERBS = { undo: "Undo", redo: "Redo", restore: "Restore", promote: "Promote" };

/** What a row is called. @param {import("./types.js").Row} row */
export function title(row) {
  if (row.kind === "present") return "Present";
  if (row.kind === "original") return row.title || (row.trigger === "fork" ? "The fork begins" : "Original");
  if (row.verb && VERBS[row.verb]) {
    // What was brought from a fork is a restore as well; its title says which.
    const [, own, rest] = /^(?:(restore|promote) )?(.*)$/s.exec(row.verb === "restore" ? row.title : "") ?? [];
    const verb = VERBS[own ?? row.verb];
    const plain = row.verb === "restore" ? rest : row.title;
    return plain ? `${verb} ${/[“"‘]| as in /.test(plain) ? plain : `“${plain}”`}` : verb;
  }
  if (row.title) return row.title;
  if (row.level === "manual") return "Changes by hand";
  return row.kind === "move" ? `Untitled ${row.level || "move"}` : (row.labels[0] ?? because(row.trigger));
}

/** Why snapshots are made that hold what nobody's move changed: those are a person's. */
const BETWEEN = ["turn_start", "run_start", "before_action", "manual", "interval", "safety"];

/** Who did it. @param {import("./types.js").Row} row */
export function who(row) {
  if (row.kind === "original") return "";
  if (row.kind === "snapshot" && BETWEEN.includes(row.trigger)) return "you";
  if (row.agent) return row.agent;
  if (row.level === "takeback") return "takeback";
  if (row.level === "run") return "run";
  return row.session && row.level !== "manual" ? row.session : "you";
}

/**
 * One event stream for all pages of a browser. It comes back by itself, and says how it is.
 *
 * A browser has six connections to a server, and a stream keeps one: a seventh page would wait for ever. So one page has the
 * stream, as long as it is there, and tells the others. Where a browser has no locks (it has them only where it trusts the
 * connection) each page has its own.
 */

const NAME = "takeback-live";

/** @type {Map<string, Set<(data: any) => void>>} */
const ears = new Map();
/** @type {EventSource|null} */
let stream = null;
let wait = 500;
let state = "waiting";
let begun = false;
let leads = false;
const others = navigator.locks && window.BroadcastChannel ? new BroadcastChannel(NAME) : null;

/**
 * Hear of an event: `changed`, `job`, or our own `state`: "waiting", "live", "lost", "refused" (the server was started again).
 * @returns {() => void} stops listening
 */
export function listen(name, heard) {
  if (!ears.has(name)) ears.set(name, new Set());
  ears.get(name).add(heard);
  if (name === "state") heard(state);
  begin();
  return () => ears.get(name).delete(heard);
}

function begin() {
  if (begun) return;
  begun = true;
  if (!others) return open();
  others.onmessage = ({ data: [name, data] }) => {
    if (name === "who") leads && others.postMessage(["state", state]);
    else if (name === "state") become(data);
    else tell(name, data);
  };
  others.postMessage(["who"]);
  navigator.locks.request(NAME, () => {
    leads = true;
    // Whoever had the stream before is gone: what came since was not heard.
    if (state !== "waiting") state = "lost";
    open();
    return new Promise(() => {});
  });
}

function tell(name, data) {
  for (const heard of [...(ears.get(name) ?? [])]) heard(data);
}

function pass(name, data) {
  if (leads) others.postMessage([name, data]);
  tell(name, data);
}

function become(next) {
  if (state === next) return;
  state = next;
  pass("state", state);
}

function open() {
  stream = new EventSource("/api/events");
  stream.addEventListener("open", () => {
    const lost = state === "lost" || state === "refused";
    wait = 500;
    become("live");
    // What came meanwhile was not heard: whoever shows something looks again.
    if (lost) pass("changed", { lanes: null, marks: true, operation: 0 });
  });
  for (const name of ["changed", "job"]) {
    stream.addEventListener(name, (event) => {
      become("live");
      pass(name, JSON.parse(event.data || "{}"));
    });
  }
  stream.addEventListener("error", async () => {
    stream.close();
    become((await isRefused()) ? "refused" : "lost");
    setTimeout(open, wait);
    wait = Math.min(wait * 2, 10_000);
  });
}

/** Whether there is a server that does not know us: each run has a token of its own. */
async function isRefused() {
  try {
    return (await fetch("/api/about", { credentials: "same-origin" })).status === 401;
  } catch {
    return false;
  }
}

addEventListener("pagehide", () => stream?.close());

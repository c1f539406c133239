/** Asking the server. Every change carries the CSRF token; every refusal becomes a `Refused` with hints. */

export const READ_ONLY = "Started with --read-only: nothing can be changed from here";

const PAUSE = 250;

/** What the server said no to, and why. */
export class Refused extends Error {
  /** @param {number} status @param {{type?: string, message?: string, hints?: string[], code?: number}} said */
  constructor(status, said) {
    super(said.message || `the server answered ${status}`);
    this.status = status;
    this.type = said.type ?? "";
    this.hints = said.hints ?? [];
  }
}

/** @type {Promise<import("./types.js").About>|null} */
let known = null;

/** What this server serves; asked once. */
export function about() {
  known ??= get("/api/about");
  return known;
}

/** A text as addresses hold it. Bytes of a name that are no UTF-8 come as U+DC80…U+DCFF, and go back as these bytes. */
export function encoded(text) {
  try {
    return encodeURIComponent(text);
  } catch {
    return Array.from(text, (each) => {
      const code = each.codePointAt(0) ?? 0;
      if (code >= 0xdc80 && code <= 0xdcff) return `%${(code - 0xdc00).toString(16).toUpperCase()}`;
      return encodeURIComponent(code >= 0xd800 && code <= 0xdfff ? "\ufffd" : each);
    }).join("");
  }
}

/** An address with its query; what is empty is left out. */
export function address(path, query = {}) {
  const parts = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "" || value === false) continue;
    parts.push(`${name}=${encoded(value === true ? "1" : String(value))}`);
  }
  return parts.length ? `${path}?${parts.join("&")}` : path;
}

/** @returns {Promise<any>} */
export async function get(path, query = {}, options = {}) {
  return answer(await reach(address(path, query), { signal: options.signal, headers: { Accept: "application/json" } }));
}

/** @returns {Promise<any>} */
export async function post(path, body = {}, options = {}) {
  const { csrf } = await about();
  return answer(
    await reach(path, {
      method: "POST",
      signal: options.signal,
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-Takeback-CSRF": csrf },
      body: JSON.stringify(body),
    }),
  );
}

async function reach(url, options, again = !options.method) {
  try {
    return await fetch(url, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (again) {
      // A browser gives up what is under way when some network of the machine comes or goes; to look twice does no harm.
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
      return reach(url, options, false);
    }
    throw new Refused(0, { message: "takeback does not answer: is `takeback web` still running?", hints: ["start it again, then open the address that it prints"] });
  }
}

async function answer(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    // An answer without JSON is told by its status.
  }
  if (response.ok) return body;
  throw new Refused(response.status, body?.error ?? {});
}

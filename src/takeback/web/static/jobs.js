/** Long work on the server, followed to its end: told by the event stream, and asked for in case that is down. */
import { get, post } from "./api.js";
import { listen } from "./live.js";

const PATIENCE = 400;

/**
 * Follow a job. `each` hears every change.
 * @param {string} id
 * @param {(job: import("./types.js").Job) => void} [each]
 * @returns {Promise<import("./types.js").Job>} once it is done, failed or cancelled
 */
export function follow(id, each = () => {}) {
  return new Promise((resolve, reject) => {
    let over = false;
    let timer = 0;
    const stop = listen("job", ({ job }) => {
      if ((job?.id ?? job) === id) ask();
    });
    async function ask() {
      if (over) return;
      clearTimeout(timer);
      try {
        const job = await get(`/api/jobs/${encodeURIComponent(id)}`);
        if (over) return;
        each(job);
        if (job.state === "running") timer = setTimeout(ask, PATIENCE);
        else end(() => resolve(job));
      } catch (error) {
        end(() => reject(error));
      }
    }
    function end(settle) {
      over = true;
      stop();
      settle();
    }
    ask();
  });
}

/** Why a job did not come to its end. @param {import("./types.js").Job} job */
export function problemOf(job, otherwise = "it failed") {
  return Object.assign(new Error(job.error?.message ?? otherwise), { hints: job.error?.hints ?? [] });
}

/** Ask a job to stop; it says itself when it has. */
export function cancel(id) {
  return post(`/api/jobs/${encodeURIComponent(id)}/cancel`);
}

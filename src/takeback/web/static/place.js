/** Where one was on the timeline, for whoever comes back to it: kept with the tab, and no longer. */

const NAME = "takeback.place";

/** @returns {{search: string, at: string|null}} the filter, as the address held it, and the row's key */
function kept() {
  try {
    return JSON.parse(sessionStorage.getItem(NAME) ?? "null") ?? { search: "", at: null };
  } catch {
    return { search: "", at: null };
  }
}

/** @param {string|null} at the key of the row that is chosen; null for the present */
export function keepPlace(at) {
  try {
    sessionStorage.setItem(NAME, JSON.stringify({ search: location.search, at }));
  } catch {
    // Without storage one begins at the present.
  }
}

/** The row that was chosen under this very filter. */
export function keptPlace() {
  const { search, at } = kept();
  return search === location.search ? at : null;
}

/** The timeline as it was left. */
export function timelineUrl() {
  return `/${kept().search}`;
}

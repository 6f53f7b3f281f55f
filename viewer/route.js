// The state as a link: "#flame?path=12&metric=self".  It contains everything a view shows.

export function parseRoute(hash) {
  const [view, query] = hash.replace(/^#/, "").split("?", 2);
  return { view, params: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

/** Values that are null, undefined or "" are left out. */
export function formatRoute(view, params) {
  const kept = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  const query = new URLSearchParams(kept.filter(([, value]) => value !== "")).toString();
  return query ? `#${view}?${query}` : `#${view}`;
}

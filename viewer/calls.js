// Callers and callees: the links of the run by either end.

const indexes = new WeakMap();

/** A promise of the calls of a page's run; created once. */
export function callsOf(data) {
  if (!indexes.has(data)) {
    indexes.set(
      data,
      data.links().then((links) => indexOf(links ?? [], data.regions.name.length)),
    );
  }
  return indexes.get(data);
}

/** {callers(region), callees(region)}: links, those with the largest total first. */
export function indexOf(links, regionCount) {
  const byCallee = grouped(links, regionCount, (link) => link.callee);
  const byCaller = grouped(links, regionCount, (link) => link.caller);
  return { callers: byCallee, callees: byCaller };
}

/** Positions by key in one array, to avoid a million small arrays. */
function grouped(links, regionCount, key) {
  const first = new Uint32Array(regionCount + 2);
  for (const link of links) if (key(link) >= 0) first[key(link) + 1]++;
  for (let i = 0; i < regionCount; i++) first[i + 1] += first[i];
  const next = first.slice();
  const order = new Uint32Array(links.length);
  links.forEach((link, i) => {
    if (key(link) >= 0) order[next[key(link)]++] = i;
  });
  return (region) =>
    Array.from(order.subarray(first[region], first[region + 1]), (i) => links[i]).sort(
      (a, b) => b.total - a.total || b.calls - a.calls,
    );
}

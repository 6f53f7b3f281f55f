// Links of findings: from the view of kymo report to that of the page.
import { formatRoute } from "./route.js";

/** The views that show the same as an option of kymo report, the best first. */
const VIEWS = {
  ranks: ["ranks"],
  imbalance: ["ranks"],
  histogram: ["ranks"],
  threads: ["ranks", "timeline"],
  processes: ["ranks", "timeline"],
  lines: ["source", "flame"],
  gil: ["timeline", "ranks"],
  waits: ["timeline", "flame"],
  tree: ["flame"],
  "hot-path": ["flame"],
  callers: ["table"],
  callees: ["table"],
  butterfly: ["table"],
  notes: ["notes"],
  losses: ["notes"],
};

/** The metric of a region that is compared there, if it is not its time. */
const PARAMS = { imbalance: { metric: "work" } };

/** isThere(id): the page has that view.  null: no view shows it. */
export function findingLink(finding, isThere) {
  const view = [...(VIEWS[finding.view] ?? []), "table", "notes"].find(isThere);
  if (!view) return null;
  const params = view === "ranks" ? (PARAMS[finding.view] ?? {}) : {};
  return formatRoute(view, finding.region >= 0 ? { region: finding.region, ...params } : {});
}

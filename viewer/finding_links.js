// Where a finding is shown: the view of the page for the view of kymo report.
import { formatRoute } from "./route.js";

/** For an option of kymo report the views that show the same, the best first. */
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

/** What of a region is compared there, where that is not its time. */
const PARAMS = { imbalance: { metric: "work" } };

/** isThere(id): the page has that view.  null: nothing shows it. */
export function findingLink(finding, isThere) {
  const view = [...(VIEWS[finding.view] ?? []), "table", "notes"].find(isThere);
  if (!view) return null;
  const params = view === "ranks" ? (PARAMS[finding.view] ?? {}) : {};
  return formatRoute(view, finding.region >= 0 ? { region: finding.region, ...params } : {});
}

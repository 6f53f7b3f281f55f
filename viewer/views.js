// The views in the order of the tabs; a new one is a file in views/ and a line here.
import { flameView } from "./views/flame.js";
import { graphView } from "./views/graph/graph.js";
import { notesView } from "./views/notes.js";
import { overviewView } from "./views/overview/overview.js";
import { ranksView } from "./views/ranks/ranks.js";
import { sourceView } from "./views/source/source.js";
import { tableView } from "./views/table/table.js";
import { timelineView } from "./views/timeline/timeline.js";

export const views = [
  overviewView,
  flameView,
  tableView,
  graphView,
  timelineView,
  ranksView,
  sourceView,
  notesView,
];

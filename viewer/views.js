// The views in the order of the tabs; a new one is a file in views/ and a line here.
import { overviewView } from "./views/overview.js";
import { flameView } from "./views/flame.js";
import { tableView } from "./views/table.js";
import { graphView } from "./views/graph.js";
import { timelineView } from "./views/timeline.js";

export const views = [overviewView, flameView, tableView, graphView, timelineView];

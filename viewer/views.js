// The views in the order of the tabs; a new one is a file in views/ and a line here.
import { flameView } from "./views/flame.js";
import { overviewView } from "./views/overview.js";
import { tableView } from "./views/table.js";

export const views = [overviewView, flameView, tableView];

// The results of a search in a tree.
import { matcher } from "../matcher.js";

/**
 * {problem, regions: which match (1) by region, matched: how many regions}; null without a search
 * text.  extra: a region that is always marked.
 */
export function matchRegions(regions, text) {
  if (!text) return null;
  const { problem, accepts } = matcher(text);
  const found = new Uint8Array(regions.name.length);
  let matched = 0;
  for (let i = 0; i < found.length && !problem; i++) {
    if (accepts(regions.name[i], regions.place[i])) {
      found[i] = 1;
      matched++;
    }
  }
  return { problem, regions: found, matched };
}

/** The same for one region. */
export function matchOne(regions, region) {
  const found = new Uint8Array(regions.name.length);
  if (region >= 0 && region < found.length) found[region] = 1;
  return { problem: null, regions: found, matched: 1 };
}

/**
 * {total, paths}: the total of the matches, nested ones not counted twice, and all matching paths.
 * Parents come before children.
 */
export function totalOfMatches(tree, found) {
  const { parent, region, value, count } = tree;
  const isCovered = new Uint8Array(count);
  const paths = new Uint32Array(count);
  let total = 0;
  let used = 0;
  for (let i = 1; i < count; i++) {
    const isBelow = isCovered[parent[i]];
    const isMatch = found[region[i]];
    if (isMatch) {
      paths[used++] = i;
      if (!isBelow) total += value[i];
    }
    isCovered[i] = isBelow | isMatch;
  }
  return { total, paths: paths.slice(0, used) };
}

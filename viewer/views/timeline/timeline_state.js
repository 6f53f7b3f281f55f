// The timeline's state in the link: from, to, slice, area, folds, find, region.
import { clampRange } from "./timeline_scale.js";

function numbers(text) {
  return /^\d+-\d+$/.test(text ?? "") ? text.split("-").map(Number) : null;
}

export function stateOf(params, facts) {
  const asked = (name, otherwise) => {
    const value = params[name] === undefined ? NaN : Number(params[name]);
    return Number.isFinite(value) ? value : otherwise;
  };
  const area = numbers(params.area);
  const [lane, depth, start] = (params.slice ?? "").split("_");
  return {
    range: clampRange(asked("from", facts.from), asked("to", facts.to), facts.end),
    folds: new Set((params.folds ?? "").split("_").filter((id) => id)),
    area: area ? { from: Math.min(...area), to: Math.max(...area) } : null,
    areaLanes: params.lanes ? new Set(params.lanes.split("_")) : null,
    slice: start === undefined ? null : { lane, depth: Number(depth), start: Number(start) },
    find: params.find ?? "",
    region: /^\d+$/.test(params.region ?? "") ? Number(params.region) : null,
  };
}

/** The parameters of a state; defaults are left out. */
export function paramsOf(state, facts) {
  const { range, area, slice } = state;
  const isWhole = range.from <= facts.from && range.to >= facts.to;
  return {
    from: isWhole ? null : Math.floor(range.from),
    to: isWhole ? null : Math.ceil(range.to),
    folds: [...state.folds].join("_"),
    area: area ? `${area.from}-${area.to}` : null,
    lanes: area && state.areaLanes ? [...state.areaLanes].join("_") : null,
    slice: slice ? `${slice.lane}_${slice.depth}_${slice.start}` : null,
    find: state.find,
    region: state.region,
  };
}

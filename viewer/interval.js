// Confidence intervals of estimates from samples.

const Z = 1.96;

/**
 * Wilson's 95 % interval for a share from count equally weighted samples; the same as in the
 * reports.  {low, high}
 */
export function wilson(share, count) {
  if (!(count > 0)) return { low: 0, high: 1 };
  const part = Math.max(0, Math.min(1, share));
  const scale = 1 + (Z * Z) / count;
  const middle = (part + (Z * Z) / (2 * count)) / scale;
  const half = (Z / scale) * Math.sqrt((part * (1 - part)) / count + (Z * Z) / (4 * count * count));
  return {
    low: part > 0 && middle > half ? Math.min(middle - half, part) : 0,
    high: part < 1 && middle + half < 1 ? Math.max(middle + half, part) : 1,
  };
}

/** "38.1-42.6 %" */
export function intervalText({ low, high }) {
  return `${(100 * low).toFixed(1)}-${(100 * high).toFixed(1)} %`;
}

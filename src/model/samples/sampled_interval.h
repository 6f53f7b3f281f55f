/* How sure a share is that samples tell: by Wilson's interval, which is right for few samples and
 * for shares near 0 and 1, too.  Pure arithmetic; any thread. */
#ifndef KYMO_SAMPLED_INTERVAL_H
#define KYMO_SAMPLED_INTERVAL_H

#include <math.h>

struct sampled_share { /* an estimate with its interval, as parts of 1 */
	double share, low, high;
};

/* The interval at 95 % for a share of weights, of which the count is the effective one:
 * (sum of weights)^2 / sum of squares. */
static inline struct sampled_share sampled_interval(double share, double effective_count)
{
	static const double z = 1.96;
	struct sampled_share out = {share, 0, 1};
	double n = effective_count, middle, half;

	if (!(n > 0))
		return out;
	out.share = share < 0 ? 0 : share > 1 ? 1 : share;
	middle = (out.share + z * z / (2 * n)) / (1 + z * z / n);
	half = z / (1 + z * z / n) * sqrt(out.share * (1 - out.share) / n + z * z / (4 * n * n));
	/* Exact at the ends, where rounding would put the share outside. */
	out.low = out.share > 0 && middle > half ? fmin(middle - half, out.share) : 0;
	out.high = out.share < 1 && middle + half < 1 ? fmax(middle + half, out.share) : 1;
	return out;
}

#endif

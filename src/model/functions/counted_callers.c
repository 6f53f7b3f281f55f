/* Divides a known number of calls among the callers.
 *
 * A call that was timed with a probability of 1 in w represents about w - 1 others from the same
 * caller, which were not timed.  Such sums of weights have intervals by the gamma distribution (Fay
 * and Feuer, Statistics in Medicine 16, 1997), which are valid for the smallest numbers, too.  The
 * numbers of all callers add up to a known sum: so the uncertainty about a caller with most of the
 * calls is that about the others. */
#include "model/functions/counted_callers.h"

#include <math.h>

#define CHANCE_Z 1.959964 /* 2.5 % on each side */
/* None of n was observed: with a probability of 97.5 % there are less than this many in n. */
#define UNSEEN	 3.689

struct calls_estimate { /* of the calls that were not timed */
	double calls, spread;
};

struct interval {
	double low, high;
};

bool counted_is_exact(const struct counted_function *function)
{
	return function->calls <= function->sums.ended;
}

/* Wilson and Hilferty, The distribution of chi-square (1931), for a gamma distribution. */
static double gamma_quantile(double shape, double z)
{
	double root = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));

	return root > 0 ? shape * root * root * root : 0;
}

/* The estimate with one more call of that weight. */
static double quantile_with(const struct calls_estimate *calls_estimate, double weight, double z)
{
	double calls = calls_estimate->calls + weight,
	       spread = calls_estimate->spread + weight * fabs(weight);

	if (calls <= 0 || spread <= 0)
		return 0;
	return gamma_quantile(calls * calls / spread, z) * spread / calls;
}

/* Upper bound as if one more call, of the largest weight, was nearly observed; lower bound without
 * the one by which the caller was observed at all, since only observed callers have an edge. */
static struct interval interval_of(const struct calls_estimate *calls_estimate, double largest)
{
	return (struct interval){
		.low = quantile_with(calls_estimate, -largest, -CHANCE_Z),
		.high = calls_estimate->calls > 0 ? quantile_with(calls_estimate, largest, CHANCE_Z)
						  : UNSEEN * largest,
	};
}

/* Calls known to come from that caller. */
static double seen_of(const struct counted_edge *edge)
{
	return fmax((double)edge->timed, (double)edge->sums.ended);
}

/* Timed calls that did not end, as by an exception, have no further data: they count like those
 * that did. */
static struct calls_estimate callers_estimate_of(const struct counted_function *callee,
						 const struct counted_edge *edge)
{
	const struct kymo_timed_sums *sums = &edge->sums;
	double ended = (double)sums->ended;
	double lost = seen_of(edge) - ended;
	double weight = ended > 0 ? sums->weights / ended : callee->sampling_interval;

	return (struct calls_estimate){
		.calls = fmax(sums->weights - ended, 0) + lost * fmax(weight - 1, 0),
		.spread = sums->spread + lost * weight * fmax(weight - 1, 0),
	};
}

/* unseen: calls of the callee that were not timed; all: their estimate from the timed calls. */
static void callers_estimate(struct counted_edge *edge, const struct calls_estimate *calls_estimate,
			     const struct calls_estimate *all, double unseen, double largest)
{
	struct calls_estimate others = {fmax(all->calls - calls_estimate->calls, 0),
					fmax(all->spread - calls_estimate->spread, 0)};
	bool is_small = calls_estimate->calls <= others.calls;
	struct interval interval = interval_of(is_small ? calls_estimate : &others, largest);
	double known = unseen / all->calls, seen = seen_of(edge), low, high;

	/* The known sum makes the estimate more precise for callers with many calls. */
	low = fmin(interval.low, interval.low * known);
	high = fmin(fmax(interval.high, interval.high * known), unseen);
	edge->calls = seen + fmin(calls_estimate->calls * known, unseen);
	edge->calls_low = seen + (is_small ? fmin(low, unseen) : unseen - high);
	edge->calls_high = seen + (is_small ? high : fmax(unseen - low, 0));
	edge->calls_low = fmin(floor(edge->calls_low), floor(edge->calls));
	edge->calls_high =
		fmin(fmax(ceil(edge->calls_high), ceil(edge->calls)), ceil(seen + unseen));
}

/* The edges of one callee. */
static void estimate_callee(const struct counted_function *callee, struct counted_edge *edges,
			    size_t count)
{
	struct calls_estimate all = {0, 0};
	double seen = 0, calls = (double)callee->calls, unseen;

	for (size_t i = 0; i < count; i++) {
		struct calls_estimate calls_estimate = callers_estimate_of(callee, &edges[i]);

		seen += seen_of(&edges[i]);
		all.calls += calls_estimate.calls;
		all.spread += calls_estimate.spread;
	}
	unseen = fmax(calls - seen, 0);
	for (size_t i = 0; i < count; i++) {
		struct counted_edge *edge = &edges[i];
		struct calls_estimate calls_estimate = callers_estimate_of(callee, edge);

		if (unseen > 0 && all.calls > 0) {
			callers_estimate(edge, &calls_estimate, &all, unseen,
					 fmax(callee->sampling_interval, 2));
		} else {
			edge->calls =
				seen > 0 ? seen_of(edge) * (calls / seen) : calls / (double)count;
			edge->calls_low = fmin(seen_of(edge), edge->calls);
			edge->calls_high = fmin(seen_of(edge) + unseen, calls);
		}
	}
}

void counted_callers_estimate(struct counted_calls *calls)
{
	for (size_t first = 0, end; first < calls->edge_count; first = end) {
		uint32_t callee = calls->edges[first].callee;

		for (end = first; end < calls->edge_count && calls->edges[end].callee == callee;)
			end++;
		estimate_callee(&calls->functions[callee], &calls->edges[first], end - first);
	}
}

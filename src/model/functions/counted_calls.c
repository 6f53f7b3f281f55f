/* Estimates of times from the calls that were timed.
 *
 * The first calls of a function are all timed: they represent only themselves, without an error.
 * Later ones were each timed with a probability of 1 in w, and represent w calls: sums of w * t are
 * the Horvitz-Thompson estimate, sums of w * (w - 1) * (t - mean)^2 its variance
 * (docs/overhead.md).  Since the number of calls is known, the number of timed ones adds no
 * variance. */
#include "model/functions/counted_calls.h"

#include <math.h>

#include "model/compare/ttest.h"
#include "model/functions/counted_callers.h"

#define CONFIDENCE  0.975 /* on each side */
#define FEW	    10.0  /* timed calls; with fewer, those that were all timed are used, too */
/* Johnson's correction for skewness is (1 + 2 t^2) / 6, with t = 1.96, with the upper bound of the
 * third moment: the variance times the distance of the largest value.  Four times that, since the
 * largest of all was mostly not observed: found by simulation. */
#define SKEWNESS    6.0
#define LARGEST	    12.0 /* deviations from the mean */
/* Of a function's time, in one randomly timed call. */
#define OUTSTANDING 0.25
/* Relative error of the overhead of timing a call: it is calibrated on an empty function whose code
 * is in the caches, and is higher with cold caches. */
#define BIAS_OVER   1.0
#define BIAS_UNDER  0.5
/* None of n was observed: with a probability of 97.5 % there are less than this many in n. */
#define UNSEEN	    3.69

void timed_sums_add(struct kymo_timed_sums *sums, const struct kymo_timed_sums *more)
{
	sums->ended += more->ended;
	sums->ticks += more->ticks;
	sums->squares += more->squares;
	sums->weights += more->weights;
	sums->weighted_ticks += more->weighted_ticks;
	sums->spread += more->spread;
	sums->spread_ticks += more->spread_ticks;
	sums->spread_squares += more->spread_squares;
}

static double positive(double value)
{
	return value > 0 ? value : 0;
}

struct kymo_timed_sums timed_sums_without(const struct kymo_timed_sums *sums,
					  const struct kymo_timed_sums *part)
{
	return (struct kymo_timed_sums){
		.ended = sums->ended > part->ended ? sums->ended - part->ended : 0,
		.ticks = sums->ticks > part->ticks ? sums->ticks - part->ticks : 0,
		.squares = positive(sums->squares - part->squares),
		.weights = positive(sums->weights - part->weights),
		.weighted_ticks = positive(sums->weighted_ticks - part->weighted_ticks),
		.spread = positive(sums->spread - part->spread),
		.spread_ticks = positive(sums->spread_ticks - part->spread_ticks),
		.spread_squares = positive(sums->spread_squares - part->spread_squares),
	};
}

/* The most that a randomly timed call represents, and how many of these there were. */
static double calls_weight_of(const struct counted_function *function)
{
	return function->sampling_interval > 1 ? function->sampling_interval : 2;
}

static double random_count_of(const struct counted_function *function)
{
	double weight = calls_weight_of(function);

	return function->sums.spread / (weight * (weight - 1));
}

/* The mean of the randomly timed calls, or if these are too few, of all. */
static double mean_of(const struct counted_function *function)
{
	const struct kymo_timed_sums *sums = &function->sums;

	if (sums->spread > 0 && random_count_of(function) >= FEW)
		return sums->spread_ticks / sums->spread;
	return sums->ended ? (double)sums->ticks / (double)sums->ended : 0;
}

/* An upper bound of the largest of the randomly timed calls: the root of the sum of all squares. */
static double largest_of(const struct counted_function *function)
{
	double weight = calls_weight_of(function);
	double bound = sqrt(positive(function->sums.spread_squares) / (weight * (weight - 1)));

	return function->outlier_ticks > 0 ? bound : fmin((double)function->max, bound);
}

/* How many values of equal size have the same variance: with a wide spread, few values dominate. */
static double effective_of(const struct counted_function *function)
{
	const struct kymo_timed_sums *sums = &function->sums;
	double weight = calls_weight_of(function);

	return sums->spread_squares > 0 ? sums->spread_ticks * sums->spread_ticks /
						  (sums->spread_squares * weight * (weight - 1))
					: 0;
}

/* Count a randomly timed call once. */
static void weigh_once(struct kymo_timed_sums *sums, double weight, double ticks)
{
	double spread = weight * (weight - 1);

	sums->weights = positive(sums->weights - (weight - 1));
	sums->weighted_ticks = fmax(sums->weighted_ticks - (weight - 1) * ticks, ticks);
	sums->spread = positive(sums->spread - spread);
	sums->spread_ticks = positive(sums->spread_ticks - spread * ticks);
	sums->spread_squares = positive(sums->spread_squares - spread * ticks * ticks);
}

/* An outlier, as when the process was pre-empted: that all calls it represents took as long is less
 * likely than that it was the only one. */
static bool calls_has_outlier(const struct counted_function *function)
{
	const struct kymo_timed_sums *sums = &function->sums;
	double weight = calls_weight_of(function), largest = (double)function->max;

	return random_count_of(function) > FEW &&
	       weight * largest > OUTSTANDING * sums->weighted_ticks &&
	       sums->spread_squares >= 0.999 * weight * (weight - 1) * largest * largest;
}

static void calls_find_outliers(struct counted_calls *calls)
{
	for (uint32_t i = 0; i < calls->function_count; i++) {
		struct counted_function *function = &calls->functions[i];
		double weight = calls_weight_of(function);

		function->outlier_ticks =
			calls_has_outlier(function) ? (weight - 1) * (double)function->max : 0;
		if (function->outlier_ticks > 0)
			weigh_once(&function->sums, weight, (double)function->max);
	}
	for (size_t i = 0; i < calls->edge_count; i++) {
		struct counted_edge *edge = &calls->edges[i];
		struct counted_function *callee = &calls->functions[edge->callee];
		double weight = calls_weight_of(callee), largest = (double)callee->max;

		/* The caller whose sum contains the outlier. */
		edge->outlier_ticks = 0;
		if (callee->outlier_ticks > 0 &&
		    edge->sums.spread_squares >=
			    0.999 * weight * (weight - 1) * largest * largest) {
			edge->outlier_ticks = callee->outlier_ticks;
			weigh_once(&edge->sums, weight, largest);
		}
	}
}

static double quantile(double degrees)
{
	return student_quantile(CONFIDENCE, degrees > 1 ? fmin(degrees, 1e6) : 1);
}

static void widen(struct counted_estimate *estimate, double below, double above)
{
	estimate->below = fmax(estimate->below, below);
	estimate->above = fmax(estimate->above, above);
}

/* From the randomly timed calls. */
static void estimate_by_random(const struct counted_function *function, double unseen, double mean,
			       struct counted_estimate *out)
{
	const struct kymo_timed_sums *sums = &function->sums;
	double random_count = random_count_of(function), variance, half;

	variance = positive(sums->spread_squares -
			    sums->spread_ticks * sums->spread_ticks / sums->spread);
	variance += unseen * unseen * (variance / sums->spread) / random_count;
	if (random_count > 1)
		variance *= random_count / (random_count - 1);
	half = quantile(effective_of(function) - 1) * sqrt(variance);
	widen(out, half,
	      half + SKEWNESS * calls_weight_of(function) * positive(largest_of(function) - mean));
}

/* From all timed calls, as if they were chosen at random: the rest is assumed to be like them. */
static void estimate_by_all(const struct counted_function *function, double mean,
			    struct counted_estimate *out)
{
	const struct kymo_timed_sums *sums = &function->sums;
	double count = (double)sums->ended, rest = positive((double)function->calls - count);
	double variance, half;

	variance = positive(sums->squares / count - mean * mean);
	variance = count > 1 ? variance * count / (count - 1) : mean * mean;
	half = quantile(count - 1) * sqrt(variance * rest * (double)function->calls / count);
	widen(out, half, half + SKEWNESS * (rest / count) * positive((double)function->max - mean));
}

/* Too few were timed at random: all timed calls are used, and the estimate of the few extends the
 * interval, since the first calls may differ from later ones. */
static struct counted_estimate visits_of_few(const struct counted_function *function)
{
	const struct kymo_timed_sums *sums = &function->sums;
	double mean = (double)sums->ticks / (double)sums->ended;
	double rest = positive((double)function->calls - (double)sums->ended), other;
	struct counted_estimate visits = {.value = (double)sums->ticks + rest * mean};

	estimate_by_all(function, mean, &visits);
	if (sums->spread <= 0)
		return visits;
	other = (double)sums->ticks + rest * (sums->spread_ticks / sums->spread);
	widen(&visits, visits.value - other, other - visits.value);
	return visits;
}

static struct counted_estimate visits_of(const struct counted_function *function)
{
	const struct kymo_timed_sums *sums = &function->sums;
	double unseen = (double)function->calls - sums->weights, mean = mean_of(function);
	struct counted_estimate visits = {.value = sums->weighted_ticks};

	if (sums->ended == 0 || function->calls <= sums->ended)
		return visits;
	if (random_count_of(function) < FEW) {
		visits = visits_of_few(function);
	} else {
		visits.value = fmax(visits.value + unseen * mean, (double)sums->ticks);
		estimate_by_random(function, unseen, mean, &visits);
	}
	visits.above += function->outlier_ticks;
	/* Observed time is certain. */
	visits.below = fmin(visits.below, visits.value - (double)sums->ticks);
	return visits;
}

/* Of a part of the randomly timed calls, the largest assumed duration: no value is further from the
 * mean of n than the root of n - 1 deviations (Samuelson, 1968), and for the distributions of calls
 * LARGEST of them suffice. */
static double largest_of_sums(const struct counted_function *function,
			      const struct kymo_timed_sums *part)
{
	double weight = calls_weight_of(function),
	       random_count = part->spread / (weight * (weight - 1));
	double mean = part->spread_ticks / part->spread;
	double deviation = sqrt(positive(part->spread_squares / part->spread - mean * mean));

	return fmin(largest_of(function),
		    mean + deviation * fmin(LARGEST, sqrt(positive(random_count - 1))));
}

/* A part of a function's calls: those of one caller, or all but those. */
static struct counted_estimate calls_estimate_of(const struct counted_function *function,
						 const struct kymo_timed_sums *part)
{
	const struct kymo_timed_sums *sums = &function->sums;
	double share = sums->weighted_ticks > 0 ? part->weighted_ticks / sums->weighted_ticks : 0;
	struct counted_estimate estimate = {.value = function->visits.value * share};
	double random_count = random_count_of(function), weight = calls_weight_of(function), mean,
	       variance, half;

	if (function->calls <= sums->ended || sums->ended == 0)
		return estimate;
	if (random_count < FEW) {
		estimate.below = share > 0 ? estimate.value : 0;
		estimate.above = function->visits.value + function->visits.above - estimate.value;
		if (part->ended == sums->ended) /* no other caller was observed */
			estimate.below = fmin(estimate.below, function->visits.below);
		estimate.below = fmin(estimate.below, estimate.value - (double)part->ticks);
		return estimate;
	}
	variance = positive(part->spread_squares -
			    part->spread_ticks * part->spread_ticks / sums->spread);
	half = quantile(effective_of(function) - 1) *
	       sqrt(variance * random_count / (random_count - 1));
	mean = part->spread_ticks / sums->spread;
	estimate.below = fmin(half + share * function->waits,
			      positive(estimate.value - (double)part->ticks));
	estimate.off_below = fmin(share * function->waits, estimate.below);
	estimate.above = half + SKEWNESS * weight * positive(largest_of(function) - mean);
	/* With enough calls of its own, long calls of other callers do not count, except for its
	 * part of the calls without a caller. */
	if (part->spread >= FEW * weight * (weight - 1))
		estimate.above =
			fmin(estimate.above,
			     half + share * function->visits.above +
				     SKEWNESS * weight *
					     positive(largest_of_sums(function, part) - mean));
	return estimate;
}

static void estimate_edge(struct counted_calls *calls, struct counted_edge *edge)
{
	struct counted_function *callee = &calls->functions[edge->callee];

	edge->total = calls_estimate_of(callee, &edge->sums);
	edge->total.above += edge->outlier_ticks;
	if (edge->caller == edge->callee) {
		struct kymo_timed_sums others = timed_sums_without(&callee->sums, &edge->sums);

		callee->total = calls_estimate_of(callee, &others);
		callee->total.above += callee->outlier_ticks;
		callee->outer_calls = positive((double)callee->calls - edge->calls);
	}
}

/* Upper bound of the time of calls of a function, none of which was timed. */
static double unseen_time(const struct counted_calls *calls)
{
	double most = 0;

	for (uint32_t i = 0; i < calls->function_count; i++) {
		const struct counted_function *function = &calls->functions[i];

		if (function->sums.spread > 0)
			most = fmax(most, UNSEEN * calls_weight_of(function) * mean_of(function));
	}
	return most;
}

/* Systematic errors add up over the calls, and do not average out as random ones do.  If not all
 * calls were timed, interrupts and waits for a processor fell mostly on those that were not. */
static struct counted_estimate bias_of(const struct counted_calls *calls,
				       const struct counted_function *function, double count,
				       double value)
{
	struct counted_estimate bias = {0};

	/* As exact as any measured time. */
	if (counted_is_exact(function))
		return bias;
	bias = (struct counted_estimate){
		.below = BIAS_OVER * (1 + calls->crowded) * count * calls->timing,
		.above = BIAS_UNDER * count * calls->timing,
	};

	bias.above += calls->interrupted * value;
	return bias;
}

static double calls_waited_of(const struct counted_calls *calls,
			      const struct counted_function *function)
{
	return counted_is_exact(function) ? 0 : calls->waited;
}

static void add_bias(const struct counted_calls *calls, const struct counted_function *function,
		     double count, struct counted_estimate *estimate)
{
	struct counted_estimate bias = bias_of(calls, function, count, estimate->value);

	estimate->off_below += bias.below;
	estimate->off_above += bias.above + calls_waited_of(calls, function);
	estimate->below += bias.below;
	estimate->above += bias.above + calls_waited_of(calls, function);
}

/* The squares of errors are added up: functions are timed independently of each other.  The
 * recursive calls of a function are contained in its outermost calls, of which its own time is a
 * part. */
static void take_callee(const struct counted_calls *calls, const struct counted_edge *edge)
{
	const struct counted_function *callee = &calls->functions[edge->callee];
	struct counted_function *caller = &calls->functions[edge->caller];
	struct counted_estimate bias = bias_of(calls, callee, edge->calls, edge->total.value);

	if (edge->caller == edge->callee)
		return;
	caller->self.value -= edge->total.value;
	caller->self.below += edge->total.above * edge->total.above;
	caller->self.above += edge->total.below * edge->total.below;
	caller->bias.below += bias.above;
	caller->bias.above += bias.below;
	caller->waited = fmax(caller->waited, calls_waited_of(calls, callee));
	caller->bias.above += edge->total.off_below; /* its waits */
}

void counted_estimate_limit(struct counted_estimate *estimate, double most)
{
	double low = positive(estimate->value - estimate->below);

	if (most <= 0 || estimate->value + estimate->above <= most)
		return;
	estimate->value = fmax(fmin(estimate->value, most), fmin(low, most));
	estimate->below = positive(estimate->value - low);
	estimate->above = positive(most - estimate->value);
	estimate->off_below = fmin(estimate->off_below, estimate->below);
	estimate->off_above = fmin(estimate->off_above, estimate->above);
}

static void estimate_self(struct counted_function *function)
{
	double low, high;

	low = function->self.value - sqrt(function->self.below) - function->bias.below -
	      function->waited;
	high = function->self.value + sqrt(function->self.above) + function->bias.above;
	function->self.value = positive(function->self.value);
	function->self.below = function->self.value - positive(low);
	function->self.above = positive(high) - function->self.value;
	function->self.off_below =
		fmin(function->self.off_below + function->bias.below + function->waited,
		     function->self.below);
	function->self.off_above = fmin(function->bias.above, function->self.above);
}

/* A thread that waits for a processor waits in any of its functions, mostly in calls that were not
 * timed: each function gets its part, and the interval extends down to the value without it. */
static void calls_add_waits(const struct counted_calls *calls, struct counted_function *function)
{
	double part = calls->most > calls->waited && calls->waited > 0
			      ? calls->waited / (calls->most - calls->waited)
			      : 0;
	double more = fmin(part * function->visits.value, calls->waited);

	if (calls_waited_of(calls, function) <= 0)
		return;
	function->visits.value += more;
	function->visits.below += more;
	function->visits.off_below += more;
	function->waits = more;
}

static void estimate_visits(struct counted_calls *calls)
{
	for (uint32_t i = 0; i < calls->function_count; i++) {
		struct counted_function *function = &calls->functions[i];

		function->waits = 0;
		function->visits = visits_of(function);
		calls_add_waits(calls, function);
		function->total = function->visits;
		function->outer_calls = (double)function->calls;
	}
}

/* Before callees are subtracted: all of its outermost calls; errors as squares. */
static void begin_self(const struct counted_calls *calls, struct counted_function *function)
{
	function->self = function->total;
	function->self.below =
		function->self.below * function->self.below + calls->unseen * calls->unseen;
	function->self.above *= function->self.above;
	function->bias = bias_of(calls, function, function->outer_calls, function->total.value);
	function->bias.above += calls_waited_of(calls, function);
	function->waited = 0;
}

static void calls_finish(const struct counted_calls *calls, struct counted_function *function)
{
	estimate_self(function);
	add_bias(calls, function, (double)function->calls, &function->visits);
	add_bias(calls, function, function->outer_calls, &function->total);
	counted_estimate_limit(&function->total, calls->most);
	counted_estimate_limit(&function->self, calls->most);
}

void counted_calls_estimate(struct counted_calls *calls)
{
	counted_callers_estimate(calls);
	calls_find_outliers(calls);
	calls->unseen = unseen_time(calls);
	estimate_visits(calls);
	for (size_t i = 0; i < calls->edge_count; i++)
		estimate_edge(calls, &calls->edges[i]);
	for (uint32_t i = 0; i < calls->function_count; i++)
		begin_self(calls, &calls->functions[i]);
	for (size_t i = 0; i < calls->edge_count; i++) {
		struct counted_edge *edge = &calls->edges[i];

		if (edge->caller != COUNTED_OUTSIDE)
			take_callee(calls, edge);
		add_bias(calls, &calls->functions[edge->callee], edge->calls, &edge->total);
	}
	for (uint32_t i = 0; i < calls->function_count; i++)
		calls_finish(calls, &calls->functions[i]);
}

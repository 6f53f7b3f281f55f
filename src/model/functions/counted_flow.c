/* Times of calls as a flow through the call graph: time that enters a function either continues to
 * its callees or is its own time, which has a minimum per call.
 *
 * Where the estimates violate that, the difference is spread over its incoming and outgoing calls
 * by the squares of their errors, as least squares would; each stays within its interval as long as
 * that is possible, and always within what is known.  This is repeated for all functions until
 * nothing is missing (projections onto one condition after another); the rest then propagates from
 * callers to callees. */
#include "model/functions/counted_flow.h"

#include <math.h>
#include <stdlib.h>

#include "model/functions/counted_callers.h"
#include "model/functions/counted_cycles.h"

#define TURNS	    40
#define SPREADS	    4
#define ENOUGH	    1e-6 /* of the thread's time */
#define LEAST_TICKS 1.0	 /* of a call: a call and a return */
#define EXCESS_MOST 2.0	 /* of the timing overhead that was subtracted per call */

struct flow_edge {
	double time;
	double low, high;   /* by its interval */
	double least, most; /* by what is known */
	double weight;
};

struct flow {
	struct counted_calls *calls;
	struct flow_edge *edges;
	uint32_t *cycles;
	uint32_t *order;   /* functions, callers first except in cycles */
	size_t *first_in;  /* by function, plus one: edges are sorted by callee */
	size_t *first_out; /* by function, plus two: the last one is for calls from outside */
	size_t *out;	   /* edges by caller */
	double *bound;	   /* by function: upper bound of its outermost calls */
	double *least;	   /* by function: lower bound of its own time */
	double most;
};

static uint32_t flow_caller_of(const struct flow *flow, size_t edge)
{
	uint32_t caller = flow->calls->edges[edge].caller;

	return caller == COUNTED_OUTSIDE ? flow->calls->function_count : caller;
}

static bool link_edges(struct flow *flow)
{
	const struct counted_calls *calls = flow->calls;
	uint32_t callers = calls->function_count + 1;
	size_t *fill = calloc((size_t)callers + 1, sizeof(*fill));

	if (!fill)
		return false;
	for (size_t i = 0; i < calls->edge_count; i++) {
		flow->first_in[calls->edges[i].callee + 1]++;
		flow->first_out[flow_caller_of(flow, i) + 1]++;
	}
	for (uint32_t i = 0; i < callers; i++) {
		if (i < calls->function_count)
			flow->first_in[i + 1] += flow->first_in[i];
		flow->first_out[i + 1] += flow->first_out[i];
		fill[i] = flow->first_out[i];
	}
	for (size_t i = 0; i < calls->edge_count; i++)
		flow->out[fill[flow_caller_of(flow, i)]++] = i;
	free(fill);
	return true;
}

static int compare_circles(const void *left, const void *right, void *context)
{
	const uint32_t *cycles = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (cycles[a] != cycles[b])
		return cycles[a] < cycles[b] ? 1 : -1;
	return a < b ? -1 : a > b;
}

/* Cycles are numbered in the order of completion, those without callees first. */
static void order_functions(struct flow *flow)
{
	uint32_t count = flow->calls->function_count;

	for (uint32_t i = 0; i < count; i++)
		flow->order[i] = i;
	qsort_r(flow->order, count, sizeof(*flow->order), compare_circles, flow->cycles);
}

static bool flow_is_inside(const struct flow *flow, const struct counted_edge *edge)
{
	return edge->caller != COUNTED_OUTSIDE &&
	       flow->cycles[edge->caller] == flow->cycles[edge->callee];
}

static bool has_open(const struct counted_edge *edge)
{
	return edge->timed > edge->sums.ended || (edge->timed == 0 && edge->sums.ended == 0);
}

static bool flow_is_exact(const struct flow *flow, const struct counted_edge *edge)
{
	return counted_is_exact(&flow->calls->functions[edge->callee]) && !has_open(edge);
}

static double caller_bound(const struct flow *flow, const struct counted_edge *edge)
{
	if (flow_is_exact(flow, edge))
		return edge->total.value;
	return edge->caller == COUNTED_OUTSIDE ? flow->most : flow->bound[edge->caller];
}

/* The functions of one cycle: the calls into it contain all of its time, if each of these was
 * recorded. */
static void bound_cycle(struct flow *flow, const uint32_t *members, uint32_t count)
{
	const struct counted_calls *calls = flow->calls;
	double bound = 0, seen = 0, all = 0;

	for (uint32_t k = 0; k < count; k++) {
		uint32_t function = members[k];

		all += (double)calls->functions[function].calls;
		for (size_t i = flow->first_in[function]; i < flow->first_in[function + 1]; i++) {
			const struct counted_edge *edge = &calls->edges[i];

			seen += fmax((double)edge->timed, (double)edge->sums.ended);
			if (!flow_is_inside(flow, edge))
				bound += caller_bound(flow, edge);
		}
	}
	if (seen < all || bound > flow->most)
		bound = flow->most;
	for (uint32_t k = 0; k < count; k++)
		flow->bound[members[k]] = bound;
}

static void bound_all(struct flow *flow)
{
	uint32_t count = flow->calls->function_count;

	for (uint32_t first = 0, end; first < count; first = end) {
		uint32_t cycle = flow->cycles[flow->order[first]];

		for (end = first; end < count && flow->cycles[flow->order[end]] == cycle;)
			end++;
		bound_cycle(flow, &flow->order[first], end - first);
	}
}

static void begin_edge(struct flow *flow, size_t index)
{
	const struct counted_edge *from = &flow->calls->edges[index];
	struct flow_edge *edge = &flow->edges[index];
	double error = (from->total.below + from->total.above) / 2;

	edge->time = from->total.value;
	if (flow_is_exact(flow, from)) {
		edge->low = edge->high = edge->least = edge->most = edge->time;
		return;
	}
	edge->least = fmin((double)from->sums.ticks, edge->time);
	edge->most =
		flow_is_inside(flow, from) ? INFINITY : fmax(caller_bound(flow, from), edge->least);
	edge->time = fmin(edge->time, edge->most);
	edge->low = fmin(fmax(from->total.value - from->total.below, edge->least), edge->time);
	edge->high = fmin(from->total.value + from->total.above, edge->most);
	if (has_open(from)) {
		edge->high = edge->most;
		error = isfinite(flow->most) ? flow->most : edge->time;
	}
	edge->weight = (error + 1e-6 * edge->time + 1) * (error + 1e-6 * edge->time + 1);
}

static double into(const struct flow *flow, uint32_t function)
{
	double sum = 0;

	if (function == flow->calls->function_count)
		return flow->most;
	for (size_t i = flow->first_in[function]; i < flow->first_in[function + 1]; i++)
		if (flow->calls->edges[i].caller != function)
			sum += flow->edges[i].time;
	return sum;
}

static double out_of(const struct flow *flow, uint32_t function)
{
	double sum = 0;

	for (size_t i = flow->first_out[function]; i < flow->first_out[function + 1]; i++)
		if (flow->calls->edges[flow->out[i]].callee != function)
			sum += flow->edges[flow->out[i]].time;
	return sum;
}

static double least_of(const struct flow *flow, uint32_t function)
{
	return function < flow->calls->function_count ? flow->least[function] : 0;
}

static double missing_of(const struct flow *flow, uint32_t function)
{
	return least_of(flow, function) + out_of(flow, function) - into(flow, function);
}

/* Timing a call costs more than was subtracted if its code is not cached, about the same for each
 * call.  If a caller's time is exact and its callees seem to take longer, the excess per call is a
 * lower bound of that, unless it can be chance. */
static double excess_of(const struct flow *flow, uint32_t caller)
{
	double calls = 0, chance = 0, excess = -into(flow, caller);

	for (size_t i = flow->first_in[caller]; i < flow->first_in[caller + 1]; i++)
		if (!flow_is_exact(flow, &flow->calls->edges[i]))
			return 0;
	for (size_t i = flow->first_out[caller]; i < flow->first_out[caller + 1]; i++) {
		const struct counted_edge *edge = &flow->calls->edges[flow->out[i]];

		if (edge->callee == caller)
			continue;
		excess += edge->total.value;
		chance = fmax(chance, edge->total.below - edge->total.off_below);
		if (!flow_is_exact(flow, edge))
			calls += edge->calls;
	}
	return excess > chance && calls > 0
		       ? fmin(excess / calls, EXCESS_MOST * flow->calls->timing)
		       : 0;
}

/* The caller with the most such calls decides: with few calls, chance has more influence. */
static double excess_of_most(const struct flow *flow)
{
	double excess = 0, most = 0;

	for (uint32_t i = 0; i < flow->calls->function_count; i++) {
		double calls = 0;

		for (size_t k = flow->first_out[i]; k < flow->first_out[i + 1]; k++)
			calls += flow->calls->edges[flow->out[k]].calls;
		if (calls > most && flow->first_in[i] < flow->first_in[i + 1] &&
		    flow_is_exact(flow, &flow->calls->edges[flow->first_in[i]])) {
			most = calls;
			excess = excess_of(flow, i);
		}
	}
	return excess;
}

static void take_excess(struct flow *flow)
{
	double excess = excess_of_most(flow);

	for (size_t i = 0; excess > 0 && i < flow->calls->edge_count; i++) {
		const struct counted_edge *from = &flow->calls->edges[i];
		struct flow_edge *edge = &flow->edges[i];

		if (!flow_is_exact(flow, from))
			edge->time = fmin(edge->time, fmax(from->total.value - excess * from->calls,
							   fmax(edge->low, edge->least)));
	}
}

/* How far it may be adjusted: calls into a function may increase, calls out of it decrease. */
static double flow_slack_of(const struct flow_edge *edge, bool is_in, bool is_sure)
{
	if (is_in)
		return (is_sure ? edge->most : edge->high) - edge->time;
	return edge->time - (is_sure ? edge->least : edge->low);
}

struct spread { /* of what is missing */
	double missing, weights;
	bool is_sure, is_given;
};

static void spread_one(struct flow *flow, size_t index, bool is_in, struct spread *spread)
{
	struct flow_edge *edge = &flow->edges[index];
	double slack = flow_slack_of(edge, is_in, spread->is_sure), more;

	if (flow->calls->edges[index].caller == flow->calls->edges[index].callee || slack <= 0)
		return;
	if (!spread->is_given) {
		spread->weights += edge->weight;
		return;
	}
	more = fmin(slack, spread->missing * (edge->weight / spread->weights));
	edge->time += is_in ? more : -more;
}

static void spread_all(struct flow *flow, uint32_t function, struct spread *spread)
{
	if (function < flow->calls->function_count)
		for (size_t i = flow->first_in[function]; i < flow->first_in[function + 1]; i++)
			spread_one(flow, i, true, spread);
	for (size_t i = flow->first_out[function]; i < flow->first_out[function + 1]; i++)
		spread_one(flow, flow->out[i], false, spread);
}

/* Returns how much was missing. */
static double flow_relax(struct flow *flow, uint32_t function)
{
	double first = missing_of(flow, function),
	       enough = ENOUGH * 0.01 * (1 + out_of(flow, function));
	struct spread spread = {.missing = first};

	for (int i = 0; i < 2 * SPREADS && spread.missing > enough; i++) {
		spread.is_sure = i >= SPREADS;
		spread.is_given = false;
		spread.weights = 0;
		spread_all(flow, function, &spread);
		if (spread.weights <= 0)
			continue;
		spread.is_given = true;
		spread_all(flow, function, &spread);
		spread.missing = missing_of(flow, function);
	}
	return fmax(first, 0);
}

static void flow_relax_all(struct flow *flow)
{
	uint32_t count = flow->calls->function_count;
	double all = out_of(flow, count), most = isfinite(flow->most) ? flow->most : all;

	for (int turn = 0; turn < TURNS; turn++) {
		double worst = 0;

		for (uint32_t i = 0; i < count; i++)
			worst = fmax(worst,
				     flow_relax(flow, flow->order[turn % 2 ? i : count - 1 - i]));
		if (isfinite(flow->most))
			worst = fmax(worst, flow_relax(flow, count));
		if (worst <= ENOUGH * most)
			return;
	}
}

/* For a rest that could not be spread: callees get the available time. */
static void go_down(struct flow *flow, uint32_t function)
{
	double fixed = 0, free_time = 0, left;

	for (size_t i = flow->first_out[function]; i < flow->first_out[function + 1]; i++) {
		size_t edge = flow->out[i];

		if (flow->calls->edges[edge].callee == function)
			continue;
		if (flow->edges[edge].least >= flow->edges[edge].most)
			fixed += flow->edges[edge].time;
		else
			free_time += flow->edges[edge].time;
	}
	left = fmax(into(flow, function) - fixed, 0);
	for (size_t i = flow->first_out[function];
	     i < flow->first_out[function + 1] && free_time > left; i++) {
		struct flow_edge *edge = &flow->edges[flow->out[i]];

		if (flow->calls->edges[flow->out[i]].callee != function && edge->least < edge->most)
			edge->time *= left / free_time;
	}
}

/* The interval contains its value and nothing beyond what is known. */
static void flow_put(struct counted_estimate *estimate, double value, double most)
{
	double low = fmax(fmin(estimate->value - estimate->below, value), 0);
	double high = fmax(fmin(estimate->value + estimate->above, most), value);

	estimate->value = value;
	estimate->below = value - low;
	estimate->above = high - value;
	estimate->off_below = fmin(estimate->off_below, estimate->below);
	estimate->off_above = fmin(estimate->off_above, estimate->above);
}

/* The observed time of the calls that it made was inside of it. */
static double sure_below(const struct flow *flow, uint32_t function)
{
	double sum = 0;

	for (size_t i = flow->first_out[function]; i < flow->first_out[function + 1]; i++)
		if (flow->calls->edges[flow->out[i]].callee != function)
			sum += flow->edges[flow->out[i]].least;
	return sum;
}

static void flow_put_function(struct flow *flow, uint32_t index, double scale)
{
	struct counted_function *function = &flow->calls->functions[index];
	double in = into(flow, index), self = fmax(in - out_of(flow, index), 0) * scale, own = 0;

	for (size_t i = flow->first_in[index]; i < flow->first_in[index + 1]; i++)
		if (flow->calls->edges[i].caller == index)
			own += flow->edges[i].time;
	function->visits.value = in + own;
	if (function->timed > function->sums.ended || function->timed == 0) {
		function->total.above = fmax(flow->bound[index] - function->total.value, 0);
		function->self.above = fmax(flow->bound[index] - function->self.value, 0);
	}
	flow_put(&function->total, in, flow->bound[index]);
	function->total.below = fmin(function->total.below, fmax(in - sure_below(flow, index), 0));
	flow_put(&function->self, self, flow->bound[index]);
}

/* Needed if exact times exceed the thread's time, because callers were misattributed. */
static double flow_scale_of(const struct flow *flow)
{
	double selves = 0, all = fmin(out_of(flow, flow->calls->function_count), flow->most);

	for (uint32_t i = 0; i < flow->calls->function_count; i++)
		selves += fmax(into(flow, i) - out_of(flow, i), 0);
	return selves > all && selves > 0 ? all / selves : 1;
}

static void put_all(struct flow *flow)
{
	double scale = flow_scale_of(flow);

	for (uint32_t i = 0; i < flow->calls->function_count; i++)
		flow_put_function(flow, i, scale);
	for (size_t i = 0; i < flow->calls->edge_count; i++)
		flow_put(&flow->calls->edges[i].total, flow->edges[i].time, flow->edges[i].most);
}

static void end_below(struct counted_estimate *estimate, double below)
{
	estimate->below = fmin(estimate->below, below);
	estimate->off_below = fmin(estimate->off_below, estimate->below);
}

static void end_above(struct counted_estimate *estimate, double above)
{
	estimate->above = fmin(estimate->above, above);
	estimate->off_above = fmin(estimate->off_above, estimate->above);
}

/* Sums of squared errors of a function's callees. */
struct squares {
	double below, above;
};

static struct squares squares_of(const struct flow *flow, uint32_t function)
{
	struct squares sum = {0, 0};

	for (size_t i = flow->first_out[function]; i < flow->first_out[function + 1]; i++) {
		const struct counted_estimate *total = &flow->calls->edges[flow->out[i]].total;

		sum.below += total->below * total->below;
		sum.above += total->above * total->above;
	}
	return sum;
}

/* It is in no cycle, nor calls itself: bounds of its calls are bounds of its total. */
static bool flow_is_plain(const struct flow *flow, uint32_t function)
{
	for (size_t i = flow->first_in[function]; i < flow->first_in[function + 1]; i++)
		if (flow_is_inside(flow, &flow->calls->edges[i]))
			return false;
	return true;
}

/* A callee's upper bound is what its caller has left besides the other callees, and the caller's
 * self time is at most what none of them took.  Where an interval was cut off at what is known, its
 * ends are likely, and do not add up as squares. */
static void flow_narrow(struct flow *flow, uint32_t index)
{
	struct counted_function *function = &flow->calls->functions[index];
	const double unseen = flow->calls->unseen;
	struct squares out;
	double above = 0;

	for (size_t i = flow->first_in[index]; i < flow->first_in[index + 1]; i++)
		above += flow->calls->edges[i].total.above;
	end_above(&function->total, above);
	out = squares_of(flow, index);
	above = function->total.above;
	end_above(&function->self, above + sqrt(out.below));
	end_below(&function->self, function->total.below + sqrt(out.above + unseen * unseen));
	for (size_t i = flow->first_out[index]; i < flow->first_out[index + 1]; i++) {
		struct counted_estimate *total = &flow->calls->edges[flow->out[i]].total;
		double others = fmax(out.below - total->below * total->below, 0);

		end_above(total, function->self.value + above + sqrt(others));
	}
}

/* Callers first. */
static void narrow_all(struct flow *flow)
{
	for (uint32_t i = 0; i < flow->calls->function_count; i++)
		if (flow_is_plain(flow, flow->order[i]))
			flow_narrow(flow, flow->order[i]);
}

static void flow_fit(struct flow *flow)
{
	uint32_t count = flow->calls->function_count;

	order_functions(flow);
	bound_all(flow);
	for (size_t i = 0; i < flow->calls->edge_count; i++)
		begin_edge(flow, i);
	for (uint32_t i = 0; i < count; i++) {
		double high = 0;

		for (size_t k = flow->first_in[i]; k < flow->first_in[i + 1]; k++)
			high += flow->edges[k].high;
		if (flow->calls->functions[i].sums.ended > 0)
			flow->least[i] =
				fmin(LEAST_TICKS * (double)flow->calls->functions[i].calls, high);
	}
	take_excess(flow);
	flow_relax_all(flow);
	if (isfinite(flow->most))
		go_down(flow, count);
	for (uint32_t i = 0; i < count; i++)
		go_down(flow, flow->order[i]);
	put_all(flow);
	narrow_all(flow);
}

enum kymo_status counted_flow_estimate(struct counted_calls *calls)
{
	size_t functions = (size_t)calls->function_count + 3;
	struct flow flow = {
		.calls = calls,
		.edges = calloc(calls->edge_count + 1, sizeof(struct flow_edge)),
		.cycles = counted_cycles(calls),
		.order = calloc(functions, sizeof(uint32_t)),
		.first_in = calloc(functions, sizeof(size_t)),
		.first_out = calloc(functions, sizeof(size_t)),
		.out = calloc(calls->edge_count + 1, sizeof(size_t)),
		.bound = calloc(functions, sizeof(double)),
		.least = calloc(functions, sizeof(double)),
		.most = calls->most > 0 ? calls->most : INFINITY,
	};
	bool is_complete = flow.edges && flow.cycles && flow.order && flow.first_in &&
			   flow.first_out && flow.out && flow.bound && flow.least &&
			   link_edges(&flow);

	if (is_complete)
		flow_fit(&flow);
	free(flow.edges);
	free(flow.cycles);
	free(flow.order);
	free(flow.first_in);
	free(flow.first_out);
	free(flow.out);
	free(flow.bound);
	free(flow.least);
	return is_complete ? KYMO_OK : KYMO_MEMORY;
}

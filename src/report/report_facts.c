/* The facts at the head of a report: program, duration, overhead, losses. */
#include "report/report_facts.h"

#include <stdarg.h>
#include <string.h>
#include <time.h>

#include "base/basename.h"
#include "base/text/plaintext.h"
#include "model/functions/short_calls.h"
#include "model/profile/sample_shares.h"
#include "report/report.h"
#include "report/report_machine.h"
#include "text/quantity.h"
#include "text/wrapped.h"

#define BOLD   "\033[1m"
#define YELLOW "\033[33m"
#define NORMAL "\033[0m"

#define FACT_COLUMN		13 /* column in which the facts begin */
#define LOSSES_SHOWN		8
#define PREEMPTED_LEAST		0.01 /* of the processes' time */
#define COARSE_LATE_LEAST	0.02 /* likewise */
#define SHORT_CALLS_LEAST_SHARE 0.05 /* of the base of percentages */

static const char *text_colour(const struct report *report, const char *sequence)
{
	return report->options.has_colour ? sequence : "";
}

static void text_write_fact(const struct report *report, const char *label, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void text_write_fact(const struct report *report, const char *label, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	fprintf(report->out, "  %-*s", FACT_COLUMN - 2, label);
	wrapped_write(text, FACT_COLUMN, report->options.width, report->out);
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static const char *process_plural(size_t count)
{
	return count == 1 ? "" : "es";
}

static void write_duration(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	char duration[QUANTITY_MAX], processes[QUANTITY_MAX], threads[QUANTITY_MAX];
	time_t start = (time_t)(facts->start_realtime_ns / 1000000000u);
	char date[64] = "";
	struct tm local;

	if (localtime_r(&start, &local))
		strftime(date, sizeof(date), "%F %T", &local);
	text_write_fact(report, "ran", "%s from %s, %s process%s, %s thread%s",
			quantity_duration(facts->duration_s, duration), date,
			quantity_count(facts->process_count, processes),
			process_plural(facts->process_count),
			quantity_count(facts->thread_count, threads), plural(facts->thread_count));
}

static void write_counts(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	char calls[QUANTITY_MAX], samples[512];

	sample_facts_text(&facts->samples, samples, sizeof(samples));
	if (facts->call_count > 0 || !*samples)
		text_write_fact(report, "calls", "%s", quantity_count(facts->call_count, calls));
	if (*samples)
		text_write_fact(report, "samples", "%s", samples);
}

static void text_write_shares(const struct report *report)
{
	struct sample_shares shares;
	char text[512];

	sample_shares_of(report->loaded, &shares);
	sample_shares_text(&shares, text, sizeof(text));
	if (*text)
		text_write_fact(report, "shares", "%s", text);
}

static void write_positions(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	char count[QUANTITY_MAX], rate[QUANTITY_MAX];

	if (facts->position_count == 0 || facts->position_s <= 0)
		text_write_fact(report, "timing",
				"sampled: calls are counted exactly, times are "
				"estimates; --flat has the errors");
	else
		text_write_fact(
			report, "timing",
			"sampled: calls are counted exactly, times are estimates from %s samples "
			"(%s a second of each thread); --flat has the errors",
			quantity_count(facts->position_count, count),
			quantity_count(
				(uint64_t)((double)facts->position_count / facts->position_s + 0.5),
				rate));
}

/* Also for trees, which have no columns for errors. */
static void write_estimates(const struct report *report)
{
	char count[QUANTITY_MAX];

	if (report->facts->has_positions)
		write_positions(report);
	else if (report->facts->estimated_count > 0)
		text_write_fact(
			report, "times",
			"of %s functions are estimates, their calls are exact; --flat has the "
			"errors",
			quantity_count(report->facts->estimated_count, count));
}

/* Only if their share of all time is significant. */
static void write_short_calls(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	double share = facts->short_calls_s * 1e9 / facts->base.whole_ns;

	if (facts->base.whole_ns > 0 && share > SHORT_CALLS_LEAST_SHARE)
		text_write_fact(report, "times",
				"%.0f %% are in calls of less than %.0f ns each and may be off by "
				"half: kymo instrument --serialize measures such calls correctly",
				100 * share, SHORT_CALL_NS);
}

/* The base of percentages; with --thread that thread's. */
static struct time_base text_base_of(const struct report *report)
{
	return time_base_of(report->loaded->trees, report->loaded->tree_count,
			    report->options.thread);
}

static void write_base(const struct report *report)
{
	struct time_base base = text_base_of(report);
	char text[TIME_BASE_TEXT_MAX];

	if (base.whole_ns >= TIME_BASE_LEAST_NS)
		text_write_fact(report, "100 %", "%s", time_base_text(&base, text));
}

static void write_import(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	char more[64] = "";

	if (!facts->imported_from)
		return;
	if (facts->imported_more > 0)
		snprintf(more, sizeof(more), " and %zu more file%s", facts->imported_more,
			 plural(facts->imported_more));
	text_write_fact(report, "imported", "from %s%s", path_base_name(facts->imported_from),
			more);
}

static void write_taken_out(const struct report *report)
{
	char taken[QUANTITY_MAX];

	if (report->facts->taken_out_s > 0)
		text_write_fact(report, "", "%s of it taken out of the times of calls",
				quantity_duration(report->facts->taken_out_s, taken));
}

/* Pre-emption is not caused by the program: printed if it is significant. */
static void write_preempted(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	char time[QUANTITY_MAX];

	if (facts->preempted_s > PREEMPTED_LEAST * facts->process_duration_s)
		text_write_fact(report, "preempted",
				"%s of pre-emption, excluded from the times of calls",
				quantity_duration(facts->preempted_s, time));
}

/* The error of shares: everything that happened in late ticks of the clock. */
static void write_coarse_late(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	char time[QUANTITY_MAX];

	if (facts->coarse_late_s > COARSE_LATE_LEAST * facts->process_duration_s)
		text_write_fact(report, "times",
				"the coarse clock was late for %s: shares may be off by %.0f %%; "
				"--timing full needs no such clock",
				quantity_duration(facts->coarse_late_s, time),
				100 * facts->coarse_late_s / facts->process_duration_s);
}

/* Not a cost of the run, but the user waits for it. */
static void write_cost_of_outputs(const struct report *report)
{
	char time[QUANTITY_MAX];

	if (report->facts->outputs_s > 0)
		text_write_fact(report, "", "%s more of CPU time after it, for its outputs",
				quantity_duration(
					report->facts->closing_s + report->facts->outputs_s, time));
}

#define PARTS_MAX (4 * (QUANTITY_MAX + 16))

/* The components of the cost. */
static void text_write_parts(const struct run_facts *facts, char parts[PARTS_MAX])
{
	const struct {
		const char *name;
		double seconds;
		bool is_shown;
	} all[] = {
		{"calls", facts->cost_s, facts->call_count > 0 || facts->samples.count == 0},
		{"samples", facts->samples.cost_s,
		 facts->samples.count > 0 && (facts->samples.cost_s > 0 || facts->beside_s <= 0)},
		{"start-up", facts->startup_s, facts->startup_s > 0 || facts->beside_s <= 0},
		{"helpers", facts->beside_s, facts->beside_s > 0},
	};
	size_t used = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char time[QUANTITY_MAX];

		if (all[i].is_shown)
			used += (size_t)snprintf(parts + used, PARTS_MAX - used, "%s%s %s",
						 used ? ", " : "", all[i].name,
						 quantity_duration(all[i].seconds, time));
	}
}

static void write_cost(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	char cost[QUANTITY_MAX], startup[QUANTITY_MAX], share[QUANTITY_MAX], parts[PARTS_MAX];

	if (facts->is_imported) {
		text_write_fact(report, "measuring", "the overhead is unknown");
		return;
	}
	if (facts->call_count > 0 && (!facts->is_calibrated || facts->has_unknown_cost)) {
		text_write_fact(report, "measuring", "cost was not calibrated; start-up took %s",
				quantity_duration(facts->startup_s, startup));
		return;
	}
	text_write_parts(facts, parts);
	text_write_fact(report, "measuring", "cost %s, %s of the run (%s)",
			quantity_duration(run_facts_cost_s(facts), cost),
			quantity_percent(facts->cost_percent, share), parts);
	write_taken_out(report);
}

/* Waiting is not an error; printed only if there is any. */
static void write_waiting(const struct report *report)
{
	const struct run_facts *facts = report->facts;
	char waiting[QUANTITY_MAX], share[QUANTITY_MAX];
	double percent = time_base_percent(&facts->base, facts->waiting_s * 1e9);

	if (percent < 0.1)
		return;
	text_write_fact(report, "waiting", "%s for other threads, %s of the threads' time",
			quantity_duration(facts->waiting_s, waiting),
			quantity_percent(percent, share));
}

static void text_write_losses(const struct report *report)
{
	const struct run_facts *facts = report->facts;

	if (facts->loss_count == 0) {
		text_write_fact(report, "losses", "none");
		return;
	}
	fputs(text_colour(report, YELLOW), report->out);
	for (size_t i = 0; i < facts->loss_count && i < LOSSES_SHOWN; i++)
		text_write_fact(report, i ? "" : "losses", "%s", facts->losses[i]);
	if (facts->loss_count > LOSSES_SHOWN)
		text_write_fact(report, "", "and %zu more", facts->loss_count - LOSSES_SHOWN);
	fputs(text_colour(report, NORMAL), report->out);
}

static void write_machine(const struct report *report)
{
	char line[512];

	if (report_machine(report, line, sizeof(line)))
		text_write_fact(report, "machine", "%s", line);
}

void report_write_facts(const struct report *report)
{
	fputs(text_colour(report, BOLD), report->out);
	plaintext_print(report->out, "%s", report->facts->program);
	fprintf(report->out, "%s\n", text_colour(report, NORMAL));
	write_duration(report);
	write_base(report);
	write_waiting(report);
	write_machine(report);
	write_counts(report);
	text_write_shares(report);
	write_estimates(report);
	write_short_calls(report);
	write_preempted(report);
	write_coarse_late(report);
	write_import(report);
	write_cost(report);
	write_cost_of_outputs(report);
	text_write_losses(report);
}

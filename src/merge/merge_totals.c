/* Totals, and the notes for those without a field in the header. */
#include "merge/merge_totals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/functions/measuring.h"
#include "model/recording/recording_open.h"
#include "model/tree/calltree_cost.h"

#define ENTER_NOTE    "merged calls cost ps"
#define C_CALL_NOTE   "merged C calls cost ps"
#define LEFT_OUT_NOTE "merged without samples"
#define LOST_NOTE     "merged samples lost"
#define SERIES_NOTE   "merged without series"
#define TRACES_NOTE   "merged without traces"

#define DIGITS_MAX 48

/* Decimal digits with decimals of them after the point. */
static void put_natural(merge_natural number, unsigned int decimals, char text[DIGITS_MAX])
{
	char digits[DIGITS_MAX];
	size_t count = 0, at = 0;

	do {
		digits[count++] = (char)('0' + (int)(number % 10));
		number /= 10;
	} while (number > 0 || count <= decimals);
	while (count > 0) {
		if (count == decimals)
			text[at++] = '.';
		text[at++] = digits[--count];
	}
	text[at] = '\0';
}

/* Parses the output of put_natural(), and other input as far as it is valid. */
static merge_natural take_natural(const char *text, unsigned int decimals)
{
	merge_natural number = 0;
	unsigned int decimal_count = 0;
	bool has_point = false;

	for (; text && ((*text >= '0' && *text <= '9') || (*text == '.' && !has_point)); text++) {
		if (*text == '.') {
			has_point = true;
			continue;
		}
		if (has_point && decimal_count++ >= decimals)
			break;
		if (number > (~(merge_natural)0 - 9) / 10)
			return ~(merge_natural)0;
		number = number * 10 + (merge_natural)(*text - '0');
	}
	for (; decimal_count < decimals; decimal_count++)
		number = number > ~(merge_natural)0 / 10 ? ~(merge_natural)0 : number * 10;
	return number;
}

static merge_natural note_number(const struct recording *recording, const char *key)
{
	return take_natural(recording_note(recording, KYMO_NOTE_INFO, key), 0);
}

static uint64_t note_count(const struct recording *recording, const char *key)
{
	merge_natural number = note_number(recording, key);

	return number > UINT64_MAX ? UINT64_MAX : (uint64_t)number;
}

bool merge_totals_has_note(const char *key)
{
	static const char *const keys[] = {
		ENTER_NOTE,  C_CALL_NOTE, LEFT_OUT_NOTE,	  LOST_NOTE,
		SERIES_NOTE, TRACES_NOTE, CALLTREE_EFFECTIVE_NOTE};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

void merge_totals_init(struct merge_totals *totals)
{
	*totals = (struct merge_totals){.start_realtime_ns = UINT64_MAX, .exit_status = -1};
}

static void read_merged(struct merge_totals *totals, const struct recording *recording)
{
	totals->enter_cost_ps =
		merge_add_natural(totals->enter_cost_ps, note_number(recording, ENTER_NOTE));
	totals->c_call_cost_ps =
		merge_add_natural(totals->c_call_cost_ps, note_number(recording, C_CALL_NOTE));
	totals->left_out = merge_add(totals->left_out, note_count(recording, LEFT_OUT_NOTE));
	totals->lost_samples = merge_add(totals->lost_samples, note_count(recording, LOST_NOTE));
	totals->series = merge_add(totals->series, note_count(recording, SERIES_NOTE));
	totals->traces = merge_add(totals->traces, note_count(recording, TRACES_NOTE));
	totals->effective = merge_add_natural(
		totals->effective,
		take_natural(recording_note(recording, KYMO_NOTE_INFO, CALLTREE_EFFECTIVE_NOTE),
			     3));
}

/* Of all calls but those of C functions, each at its own cost. */
static merge_natural enter_cost(const struct recording *recording, const struct calltree *tree)
{
	uint64_t others = tree->call_count - tree->c_call_count - tree->resume_count -
			  tree->function_call_count;
	merge_natural cost = (merge_natural)others * recording->header.cost_enter_exit_ps;

	cost += (merge_natural)tree->resume_count * measuring_resume_ps(&recording->header);
	cost += (merge_natural)merge_whole_of(calltree_functions_cost_ns(tree) * 1000);
	return cost;
}

static void totals_read_process(struct merge_totals *totals, const struct recording *recording,
				const struct calltree *tree)
{
	const struct kymo_header *header = &recording->header;

	if (tree->effective_count > 0) {
		totals->effective = merge_add_natural(
			totals->effective,
			(merge_natural)merge_whole_of(tree->effective_count * 1000));
	} else {
		totals->enter_cost_ps =
			merge_add_natural(totals->enter_cost_ps, enter_cost(recording, tree));
		totals->c_call_cost_ps = merge_add_natural(totals->c_call_cost_ps,
							   (merge_natural)tree->c_call_count *
								   header->cost_c_call_ps);
	}
	totals->series = merge_add(totals->series, recording->series_count > 0);
	totals->traces = merge_add(totals->traces, (header->flags & KYMO_HEADER_TRACE) != 0);
}

static void read_exit_status(struct merge_totals *totals, int32_t status)
{
	if (totals->has_exit_status && totals->exit_status != status)
		status = -1;
	totals->exit_status = status;
	totals->has_exit_status = true;
}

void merge_totals_read(struct merge_totals *totals, const struct recording *recording,
		       const struct calltree *tree)
{
	const struct kymo_header *header = &recording->header;
	int64_t duration = recording_ns(recording, recording->end_ticks);

	totals->refused_chunks = merge_add(totals->refused_chunks, header->refused_chunks);
	totals->refused_bytes = merge_add(totals->refused_bytes, header->refused_bytes);
	totals->lost_events = merge_add(totals->lost_events, header->lost_events);
	totals->stack_aside_count = merge_add(totals->stack_aside_count, header->stack_aside_count);
	totals->startup_ns = merge_add(totals->startup_ns, header->startup_ns);
	totals->opening_ns = merge_add(totals->opening_ns, header->opening_ns);
	totals->startup_cpu_ns =
		merge_add(totals->startup_cpu_ns,
			  header->startup_cpu_ns ? header->startup_cpu_ns : header->startup_ns);
	totals->closing_cpu_ns = merge_add(totals->closing_cpu_ns, header->closing_cpu_ns);
	totals->beside_cpu_ns = merge_add(totals->beside_cpu_ns, header->beside_cpu_ns);
	totals->coarse_late_ns = merge_add(totals->coarse_late_ns, header->coarse_late_ns);
	totals->process_cpu_ns = merge_add(totals->process_cpu_ns, header->process_cpu_ns);
	if (header->start_realtime_ns < totals->start_realtime_ns)
		totals->start_realtime_ns = header->start_realtime_ns;
	if (duration > 0 && (uint64_t)duration > totals->duration_ns)
		totals->duration_ns = (uint64_t)duration;
	read_exit_status(totals, header->exit_status);
	if (tree)
		totals_read_process(totals, recording, tree);
	else
		read_merged(totals, recording);
}

struct recording_writer_header merge_totals_header(const struct merge_totals *totals,
						   bool is_sampled)
{
	return (struct recording_writer_header){
		.start_realtime_ns =
			totals->start_realtime_ns == UINT64_MAX ? 0 : totals->start_realtime_ns,
		.duration_ns = totals->duration_ns,
		.process_cpu_ns = totals->process_cpu_ns,
		.exit_status = totals->exit_status,
		.flags = KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT | KYMO_HEADER_MERGED |
			 (is_sampled ? KYMO_HEADER_SAMPLED : 0),
		.lost_events = totals->lost_events,
		.stack_aside_count = totals->stack_aside_count,
		.refused_chunks = totals->refused_chunks,
		.refused_bytes = totals->refused_bytes,
		.startup_ns = totals->startup_ns,
		.opening_ns = totals->opening_ns,
		.startup_cpu_ns = totals->startup_cpu_ns,
		.closing_cpu_ns = totals->closing_cpu_ns,
		.beside_cpu_ns = totals->beside_cpu_ns,
		.coarse_late_ns = totals->coarse_late_ns,
	};
}

static void totals_write_number(struct recording_writer *maker, const char *key,
				merge_natural number)
{
	char text[DIGITS_MAX];

	put_natural(number, 0, text);
	if (number > 0)
		recording_writer_note(maker, KYMO_NOTE_INFO, key, text);
}

void merge_totals_write(const struct merge_totals *totals, struct recording_writer *maker,
			bool is_sampled)
{
	char text[DIGITS_MAX];

	totals_write_number(maker, ENTER_NOTE, totals->enter_cost_ps);
	totals_write_number(maker, C_CALL_NOTE, totals->c_call_cost_ps);
	totals_write_number(maker, LEFT_OUT_NOTE, totals->left_out);
	totals_write_number(maker, LOST_NOTE, totals->lost_samples);
	totals_write_number(maker, SERIES_NOTE, totals->series);
	totals_write_number(maker, TRACES_NOTE, totals->traces);
	put_natural(totals->effective, 3, text);
	if (is_sampled)
		recording_writer_note(maker, KYMO_NOTE_INFO, CALLTREE_EFFECTIVE_NOTE, text);
}

uint64_t merge_totals_mean(merge_natural cost, merge_natural calls)
{
	merge_natural mean = calls ? (cost + calls / 2) / calls : 0;

	return mean > UINT64_MAX ? UINT64_MAX : (uint64_t)mean;
}

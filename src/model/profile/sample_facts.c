/* Counts samples, and formats the line about them. */
#include "model/profile/sample_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/recording/recording_open.h"
#include "text/quantity.h"

static const struct {
	const char *key;  /* of the note that describes how they were taken */
	const char *what; /* their clock */
} kinds[KYMO_SAMPLE_KINDS] = {
	[KYMO_SAMPLE_REALTIME] = {"sampling realtime", "wall time"},
	[KYMO_SAMPLE_CPUTIME] = {"sampling cputime", "CPU time"},
	[KYMO_SAMPLE_OVERFLOW] = {"sampling overflow", "events"},
};

static void facts_add_thread(struct sample_facts *facts, const struct samples *samples,
			     uint32_t thread)
{
	struct sample_position position = {0};
	struct sample sample;

	while (samples_next(samples, thread, &position, &sample)) {
		double covered = sample.kind == KYMO_SAMPLE_CPUTIME && !isnan(sample.cpu_ns)
					 ? sample.cpu_ns
					 : sample.wall_ns;

		facts->covered_s[sample.kind] += covered * 1e-9;
	}
}

void sample_facts_add(struct sample_facts *facts, const struct samples *samples)
{
	const struct recording *recording = samples->recording;
	const char *cost = recording_note(recording, KYMO_NOTE_INFO, "sampling cost ns");

	facts->count += samples->count;
	facts->lost += samples->lost_count + samples->damaged_count;
	if (cost)
		facts->cost_s += strtod(cost, NULL) * 1e-9;
	for (size_t kind = 0; kind < KYMO_SAMPLE_KINDS; kind++) {
		facts->counts[kind] += samples->counts[kind];
		if (kinds[kind].key && !facts->ways[kind])
			facts->ways[kind] =
				recording_note(recording, KYMO_NOTE_INFO, kinds[kind].key);
	}
	for (uint32_t i = 0; i < recording->thread_count; i++)
		facts_add_thread(facts, samples, i);
}

void sample_facts_add_tree(struct sample_facts *facts, const struct calltree *tree)
{
	if (!(tree->recording->header.flags & KYMO_HEADER_SAMPLED))
		return;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		if (tree->nodes[i].depth != 1)
			continue;
		facts->made_count += tree->nodes[i].count;
		facts->count += tree->nodes[i].count;
	}
}

void sample_facts_text(const struct sample_facts *facts, char *text, size_t size)
{
	char made[QUANTITY_MAX];
	size_t used = 0;

	*text = '\0';
	if (facts->made_count > 0)
		used += (size_t)snprintf(text, size, "%s, put together before",
					 quantity_count(facts->made_count, made));
	for (size_t kind = 0; kind < KYMO_SAMPLE_KINDS && used < size; kind++) {
		char count[QUANTITY_MAX];
		double covered = facts->covered_s[kind];

		if (!kinds[kind].key || facts->counts[kind] == 0)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s by %s", used ? "; " : "",
					 quantity_count(facts->counts[kind], count),
					 kinds[kind].what);
		if (covered > 0 && used < size)
			used += (size_t)snprintf(text + used, size - used,
						 ", %.4g a second of each thread",
						 (double)facts->counts[kind] / covered);
		if (facts->ways[kind] && used < size)
			used += (size_t)snprintf(text + used, size - used, " (%s)",
						 facts->ways[kind]);
	}
}

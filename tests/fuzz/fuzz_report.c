/* Any bytes as a recording, shown in every view and form: what the reader lets through must
 * not upset a report, and what belongs together must add up. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"
#include "model/parts/parts_spread.h"
#include "model/recording/recording_open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef enum kymo_status (*view_fn)(const struct report *report, struct problem *problem);

static const view_fn views[] = {
	report_flat,	  report_tree,	    report_hot_path, report_findings, report_modules,
	report_ranks,	  report_imbalance, report_repeats,  report_waits,    report_gil,
	report_processes, report_threads,   report_series,
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Whatever fails says why. */
static void show(const struct report *report, view_fn view)
{
	struct problem problem = {{0}};

	must(view(report, &problem) == KYMO_OK || problem.text[0]);
}

static void show_named(const struct report *report)
{
	const char *name = report->regions->regions[report->regions->count - 1]->name;
	struct problem problem = {{0}};

	must(report_butterfly(report, name, &problem) == KYMO_OK || problem.text[0]);
	must(report_histogram(report, name, &problem) == KYMO_OK || problem.text[0]);
}

/* What all groups have of a region is what all others have of it. */
static void check_parts(const struct report *report)
{
	struct problem problem;
	struct parts *parts;

	must(parts_new(report->loaded, report->regions, &parts, &problem) == KYMO_OK);
	for (uint32_t i = 0; i < report->regions->count && i < 1000; i++) {
		double sums[PARTS_BY_COUNT];

		for (int by = 0; by < PARTS_BY_COUNT; by++) {
			struct parts_spread spread;

			must(parts_spread_new(parts, i, (enum parts_by)by, true, &spread) ==
			     KYMO_OK);
			must(spread.min_at <= spread.count && spread.max_at <= spread.count);
			sums[by] = spread.sum;
			parts_spread_release(&spread);
			must(fabs(sums[by] - sums[0]) <= 1e-6 * fabs(sums[0]));
		}
	}
	parts_free(parts);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}

static bool has_word(const char *text, const char *word)
{
	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		if ((at == text || !is_letter(at[-1])) && !is_letter(at[strlen(word)]))
			return true;
	return false;
}

/* No number that is none, in any form; names of the input may well be such words. */
static void check_numbers(const struct recording *recording, const char *text)
{
	if (memmem(recording->data, recording->size, "inf", 3) ||
	    memmem(recording->data, recording->size, "nan", 3))
		return;
	must(!has_word(text, "inf") && !has_word(text, "nan"));
}

static void show_all(struct loaded_run *loaded, FILE *out)
{
	struct report report = {.loaded = loaded, .out = out};
	struct region_union *regions = NULL;
	struct run_facts *facts = NULL;

	must(region_union_new(loaded->trees, loaded->tree_count, &regions) == KYMO_OK);
	must(run_facts_new(loaded, &facts) == KYMO_OK);
	report.regions = regions;
	report.facts = facts;
	report.options = (struct report_options){
		.top = 25, .thread = KYMO_NO_THREAD, .width = 80, .has_colour = true, .above = 50};
	for (int form = REPORT_TEXT; form <= REPORT_MARKDOWN; form++) {
		report.options.form = (enum report_form)form;
		for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++)
			show(&report, views[i]);
		show_named(&report);
	}
	check_parts(&report);
	run_facts_free(facts);
	region_union_free(regions);
}

static void load(struct loaded_run *loaded, struct recording *recording, FILE *out)
{
	static const struct sampled_options options = {.weight = SAMPLED_BY_WALL};
	const struct calltree *shown = NULL;
	struct samples *samples = NULL;
	const struct samples *all;
	struct calltree *tree = NULL;

	if (recording->header.flags & KYMO_HEADER_SAMPLES)
		must(samples_new(recording, &samples, NULL) == KYMO_OK);
	loaded->is_sampled = loaded->has_samples = samples && samples->count > 0;
	if (loaded->is_sampled)
		must(sampled_tree_new(recording, samples, &options, &tree, NULL) == KYMO_OK);
	else
		must(calltree_new(recording, &tree, NULL) == KYMO_OK);
	shown = tree;
	all = samples;
	loaded->trees = &shown;
	loaded->samples = &all;
	loaded->tree_count = 1;
	show_all(loaded, out);
	calltree_free(tree);
	samples_free(samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording *recording = NULL;
	struct run run = {
		.path = (char *)(uintptr_t) "fuzz", .recordings = &recording, .recording_count = 1};
	struct loaded_run loaded = {.run = &run};
	char *text = NULL;
	size_t length;
	FILE *out;

	if (recording_open_bytes(data, size, &recording, NULL) != KYMO_OK)
		return 0;
	out = open_memstream(&text, &length);
	must(out != NULL);
	load(&loaded, recording, out);
	must(fclose(out) == 0);
	check_numbers(recording, text);
	free(text);
	recording_free(recording);
	return 0;
}

/* Section "compare" and blob "compare-tree": the run and what it is compared with.
 *
 * compare: the two sides (program, run, start, duration, number of runs in the means), a warning if
 * they were not measured in the same way; the regions of both, with a verdict on the self time of
 * each and its probability between equal programs.
 *
 * compare-tree: the call paths of both as one tree, depth first: how many, then columns with an
 * entry per path: levels up from the previous path to the parent, region of the section; and
 * before, then after: calls in thousandths (they may be means), self, total. */
#include <math.h>

#include "command/xalloc.h"
#include "model/compare/diff.h"
#include "model/compare/diff_make.h"
#include "view/page.h"
#include "view/page_out.h"
#include "view/page_regions.h"

static void compare_write_side(struct json_writer *json, const struct diff_runs *side)
{
	const struct run_facts *facts = side->facts[0];

	json_begin_object(json);
	json_pair_text(json, "program", facts->program);
	json_pair_text(json, "run", side->runs[0]->run->recordings[0]->path);
	json_pair_number(json, "start", (double)facts->start_realtime_ns * 1e-6);
	json_pair_count(json, "runs", side->run_count);
	json_pair_number(json, "duration", side->duration.mean * 1e-9);
	json_end_object(json);
}

/* Including time outside regions. */
static uint32_t region_count(const struct diff *diff)
{
	return diff->region_count + diff->rest_count;
}

static uint32_t node_count(const struct diff *diff)
{
	return diff->node_count + diff->rest_count;
}

/* Of the regions together, and of each rest separately. */
static void compare_judge(const struct diff *diff, struct diff_judgement *out)
{
	xneed(diff_judge(diff, DIFF_SELF, NULL, 0, out));
	for (uint32_t i = diff->region_count; i < region_count(diff); i++)
		xneed(diff_judge(diff, DIFF_SELF, &i, 1, &out[i]));
}

static void write_verdicts(struct json_writer *json, const struct diff_judgement *judgements,
			   uint32_t count)
{
	json_key(json, "verdict");
	json_begin_array(json);
	for (uint32_t i = 0; i < count; i++)
		json_text(json, diff_verdict_text(judgements[i].verdict));
	json_end_array(json);
	json_key(json, "chance");
	json_begin_array(json);
	for (uint32_t i = 0; i < count; i++)
		json_number(json, isnan(judgements[i].p) ? -1 : judgements[i].p);
	json_end_array(json);
}

static void compare_write_regions(struct json_writer *json, const struct diff *diff)
{
	uint32_t count = region_count(diff);
	const struct region **regions = xcalloc((size_t)count + 1, sizeof(*regions));
	struct diff_judgement *judgements = xcalloc((size_t)count + 1, sizeof(*judgements));

	compare_judge(diff, judgements);
	for (uint32_t i = 0; i < count; i++)
		regions[i] = diff_region_shown(&diff->regions[i]);
	page_regions_write(json, regions, count);
	write_verdicts(json, judgements, count);
}

static void write_sides(const struct diff *diff, struct page_out *out)
{
	struct json_writer *json = page_json_begin(out, "compare");

	json_begin_object(json);
	json_key(json, "before");
	compare_write_side(json, &diff->side[DIFF_BEFORE]);
	json_key(json, "after");
	compare_write_side(json, &diff->side[DIFF_AFTER]);
	json_pair_text(json, "warning", diff->warning);
	json_key(json, "regions");
	json_begin_object(json);
	compare_write_regions(json, diff);
	json_end_object(json);
	json_end_object(json);
	page_json_end(out);
}

static void put_structure(struct textbuf *bytes, const struct diff *diff)
{
	uint32_t last = 0; /* depth of the previous path, the root's being 0 */

	page_varint(bytes, node_count(diff));
	for (uint32_t i = 0; i < node_count(diff); i++) {
		page_varint(bytes, last - diff->nodes[i].depth);
		last = diff->nodes[i].depth + 1;
	}
	for (uint32_t i = 0; i < node_count(diff); i++)
		page_varint(bytes, diff->nodes[i].region);
}

static void put_side(struct textbuf *bytes, const struct diff *diff, enum diff_side side)
{
	for (uint32_t i = 0; i < node_count(diff); i++)
		page_time(bytes, diff->nodes[i].value[side].count * 1000);
	for (uint32_t i = 0; i < node_count(diff); i++)
		page_time(bytes, diff->nodes[i].value[side].self_ns);
	for (uint32_t i = 0; i < node_count(diff); i++)
		page_time(bytes, diff->nodes[i].value[side].total_ns);
}

static void compare_write_paths(const struct diff *diff, struct page_out *out)
{
	struct textbuf bytes = {0};

	put_structure(&bytes, diff);
	put_side(&bytes, diff, DIFF_BEFORE);
	put_side(&bytes, diff, DIFF_AFTER);
	page_blob(out, "compare-tree", &bytes);
	textbuf_release(&bytes);
}

static void write_compare(const struct page *page, struct page_out *out)
{
	const struct page_options *options = &page->options;
	struct diff *diff;

	if (options->before_count == 0)
		return;
	/* Made here, since earlier code may move regions. */
	xneed(diff_new(options->before, options->before_count,
		       options->after_count ? options->after : &page->loaded,
		       options->after_count ? options->after_count : 1, &diff, NULL) == KYMO_OK);
	write_sides(diff, out);
	compare_write_paths(diff, out);
	diff_free(diff);
}

const struct page_section page_compare_section = {.write = write_compare};

/* Section "parts", blobs "parts-groups" and "parts-shares": the share of each thread, process, rank
 * and repeated run in a region.  Only if there are several parts.
 *
 * parts-groups: for threads, processes, ranks and runs, in this order: how many; of each the length
 * of its name and the name; then of each part its group.
 *
 * parts-shares: how many regions, those with the largest total first; of each: its number and how
 * many parts have some of it, then columns with an entry each: parts in between, calls, self,
 * total, and the work in these two.  A thousand ranks with thousands of regions would be too much
 * for a page: regions with the smallest total are left out, and the section has how much that is.
 */
#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"
#include "model/compare/ttest.h"
#include "model/parts/parts.h"
#include "model/parts/parts_group.h"
#include "model/parts/parts_name.h"
#include "view/page.h"
#include "view/page_out.h"

#define SHARES_MAX     400000u
#define NAME_MAX_BYTES 256

static const char *const group_names[PARTS_BY_COUNT] = {
	[PARTS_BY_THREAD] = "thread",
	[PARTS_BY_PROCESS] = "process",
	[PARTS_BY_RANK] = "rank",
	[PARTS_BY_RUN] = "run",
};

struct region_sum {
	uint32_t region;
	double self_ns, total_ns;
};

struct chosen { /* regions that have any share, those with the largest total first */
	struct region_sum *sums;
	size_t count, kept;
};

static int compare_sums(const void *left, const void *right)
{
	const struct region_sum *a = left, *b = right;

	if (a->total_ns != b->total_ns)
		return a->total_ns < b->total_ns ? 1 : -1;
	return (a->region > b->region) - (a->region < b->region);
}

static size_t share_count(const struct parts *parts, uint32_t region)
{
	return parts->first[region + 1] - parts->first[region];
}

static struct region_sum sum_of(const struct parts *parts, uint32_t region)
{
	struct region_sum sum = {.region = region};

	for (size_t i = parts->first[region]; i < parts->first[region + 1]; i++) {
		sum.self_ns += parts->shares[i].self_ns;
		sum.total_ns += parts->shares[i].total_ns;
	}
	return sum;
}

static struct chosen parts_choose(const struct parts *parts, uint32_t region_count)
{
	struct chosen chosen = {xcalloc((size_t)region_count + 1, sizeof(*chosen.sums)), 0, 0};
	size_t shares = 0;

	for (uint32_t i = 0; i < region_count; i++)
		if (share_count(parts, i) > 0)
			chosen.sums[chosen.count++] = sum_of(parts, i);
	if (chosen.count > 0)
		qsort(chosen.sums, chosen.count, sizeof(*chosen.sums), compare_sums);
	for (; chosen.kept < chosen.count; chosen.kept++) {
		shares += share_count(parts, chosen.sums[chosen.kept].region);
		if (shares > SHARES_MAX && chosen.kept > 0)
			break;
	}
	return chosen;
}

static void write_group(struct json_writer *json, const struct parts *parts, enum parts_by by)
{
	size_t count = parts_group_count(parts, by), usual = parts_usual_count(parts, by);

	json_line(json);
	json_key(json, group_names[by]);
	json_begin_object(json);
	json_pair_count(json, "count", count);
	/* The group without a rank has a value only if it has some of the region. */
	json_pair_count(json, "usual", usual);
	json_pair_number(json, "student", parts->groups[by].student);
	json_pair_number(json, "student_of_all",
			 count > 1 ? student_quantile(0.975, (double)count - 1) : 0);
	json_end_object(json);
}

static void parts_write_facts(struct page_out *out, const struct parts *parts,
			      const struct chosen *chosen)
{
	struct json_writer *json = page_json_begin(out, "parts");
	double left_ns = 0;

	for (size_t i = chosen->kept; i < chosen->count; i++)
		left_ns += chosen->sums[i].self_ns;
	json_begin_object(json);
	json_pair_count(json, "count", parts->count);
	json_pair_count(json, "ranks", parts->rank_count);
	json_pair_text(json, "by", group_names[parts_by_default(parts)]);
	json_pair_count(json, "regions", chosen->kept);
	json_pair_count(json, "left_out", chosen->count - chosen->kept);
	json_pair_number(json, "left_out_self", left_ns * 1e-9);
	json_pair_number(json, "left_out_total",
			 chosen->kept < chosen->count ? chosen->sums[chosen->kept].total_ns * 1e-9
						      : 0);
	json_key(json, "groups");
	json_begin_object(json);
	for (int by = 0; by < PARTS_BY_COUNT; by++)
		write_group(json, parts, (enum parts_by)by);
	json_end_object(json);
	json_end_object(json);
	page_json_end(out);
}

static void put_groups(struct textbuf *bytes, const struct parts *parts, enum parts_by by)
{
	size_t count = parts_group_count(parts, by);
	char name[NAME_MAX_BYTES];

	page_varint(bytes, count);
	for (size_t i = 0; i < count; i++) {
		parts_group_name(parts, by, i, name, sizeof(name));
		page_text(bytes, name);
	}
	for (size_t i = 0; i < parts->count; i++)
		page_varint(bytes, parts_group(parts, by, i));
}

static void put_shares(struct textbuf *bytes, const struct parts *parts, uint32_t region)
{
	const struct part_share *shares = parts->shares + parts->first[region];
	size_t count = share_count(parts, region);
	uint32_t next = 0;

	page_varint(bytes, region);
	page_varint(bytes, count);
	for (size_t i = 0; i < count; i++) {
		page_varint(bytes, shares[i].part - next);
		next = shares[i].part + 1;
	}
	for (size_t i = 0; i < count; i++)
		page_varint(bytes, shares[i].count);
	for (size_t i = 0; i < count; i++)
		page_time(bytes, shares[i].self_ns);
	for (size_t i = 0; i < count; i++)
		page_time(bytes, shares[i].total_ns);
	for (size_t i = 0; i < count; i++)
		page_time(bytes, shares[i].work_ns);
	for (size_t i = 0; i < count; i++)
		page_time(bytes, shares[i].work_total_ns);
}

static void write_blobs(struct page_out *out, const struct parts *parts,
			const struct chosen *chosen)
{
	struct textbuf bytes = {0};

	for (int by = 0; by < PARTS_BY_COUNT; by++)
		put_groups(&bytes, parts, (enum parts_by)by);
	page_blob(out, "parts-groups", &bytes);
	page_varint(&bytes, chosen->kept);
	for (size_t i = 0; i < chosen->kept; i++)
		put_shares(&bytes, parts, chosen->sums[i].region);
	page_blob(out, "parts-shares", &bytes);
	textbuf_release(&bytes);
}

static void parts_write(const struct page *page, struct page_out *out)
{
	struct chosen chosen;
	struct parts *parts;

	xneed(parts_new(page->loaded, page->regions, &parts, NULL) == KYMO_OK);
	if (parts->count > 1) {
		chosen = parts_choose(parts, page->regions->count);
		parts_write_facts(out, parts, &chosen);
		write_blobs(out, parts, &chosen);
	}
	parts_free(parts);
}

const struct page_section page_parts_section = {.write = parts_write};

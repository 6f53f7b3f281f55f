/* Finds the regions of one side on the other.
 *
 * Each step compares fewer properties.  It sorts the regions not matched yet by these, so that
 * candidates are adjacent. */
#include "model/compare/diff_align.h"

#include <stdlib.h>
#include <string.h>

enum name_key { NAME_FULL, NAME_PLAIN };
enum file_key { FILE_WHOLE = -1, FILE_ANY = 0 }; /* else so many of the path's last components */

struct align_step {
	enum name_key name;
	int file;
	bool has_line, has_arguments;
	bool is_ordered;    /* equally many on both sides are matched in the order of lines */
	bool is_of_objects; /* only waits for objects */
	enum diff_match match;
};

static const struct align_step steps[] = {
	/* Before their lines: of two lambdas that moved down, one may now be where the other was.
	 */
	{NAME_FULL, FILE_WHOLE, false, true, true, false, DIFF_BY_NAME},
	{NAME_FULL, FILE_WHOLE, true, true, true, false, DIFF_BY_IDENTITY},
	/* If one of the interpreters has no qualified names. */
	{NAME_PLAIN, FILE_WHOLE, true, true, false, false, DIFF_BY_NAME},
	{NAME_PLAIN, FILE_WHOLE, false, true, false, false, DIFF_BY_NAME},
	{NAME_FULL, 4, false, true, true, false, DIFF_BY_FILE},
	{NAME_FULL, 3, false, true, true, false, DIFF_BY_FILE},
	{NAME_FULL, 2, false, true, true, false, DIFF_BY_FILE},
	{NAME_FULL, 1, false, true, true, false, DIFF_BY_FILE},
	{NAME_FULL, FILE_ANY, false, true, false, false, DIFF_BY_FILE},
	{NAME_FULL, FILE_WHOLE, false, false, false, true, DIFF_BY_KIND},
};

struct candidate {
	const struct region *region;
	uint32_t number; /* on its side */
	uint8_t side;
};

static int align_compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static const char *align_path_of(const struct region *region)
{
	const char *path = region->file ? region->file : region->module;

	return path ? path : "";
}

/* The last components of a path, after a slash. */
static const char *tail_of(const char *path, int parts)
{
	const char *end = path + strlen(path);

	while (end > path && !(end[-1] == '/' && --parts <= 0))
		end--;
	return end;
}

static int compare_files(const struct region *a, const struct region *b, int file)
{
	int difference;

	if (file == FILE_ANY)
		return 0;
	if (file != FILE_WHOLE)
		return strcmp(tail_of(align_path_of(a), file), tail_of(align_path_of(b), file));
	difference = align_compare_texts(a->file, b->file);
	return difference ? difference : align_compare_texts(a->module, b->module);
}

static int align_compare_keys(const struct candidate *a, const struct candidate *b,
			      const struct align_step *step)
{
	const struct region *first = a->region, *second = b->region;
	int difference = (int)first->kind - (int)second->kind;

	if (!difference)
		difference = strcmp(first->name, second->name);
	if (!difference && step->name == NAME_FULL)
		difference = align_compare_texts(first->qualname, second->qualname);
	if (!difference)
		difference = compare_files(first, second, step->file);
	if (!difference && step->has_arguments)
		difference = align_compare_texts(first->arguments, second->arguments);
	if (!difference && step->has_line && first->line != second->line)
		difference = first->line < second->line ? -1 : 1;
	return difference;
}

static int compare_candidates(const void *left, const void *right, void *context)
{
	const struct candidate *a = left, *b = right;
	int difference = align_compare_keys(a, b, context);

	if (difference)
		return difference;
	if (a->side != b->side)
		return (int)a->side - (int)b->side;
	if (a->region->line != b->region->line)
		return a->region->line < b->region->line ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

struct aligner {
	const struct region_union *const *all;
	bool *const *has_calls;
	uint32_t *other[DIFF_SIDES]; /* per region: its number on the other side */
	uint8_t *match;		     /* per region before */
	struct candidate *candidates;
	size_t count;
};

/* Names that every file has do not identify a region in another file. */
static bool align_is_candidate(const struct region *region, const struct align_step *step)
{
	if (region->kind == KYMO_REGION_ROOT)
		return false;
	if (step->is_of_objects && !(region->flags & KYMO_REGION_OBJECT))
		return false;
	return step->file != FILE_ANY || region->name[0] != '<';
}

static void align_collect(struct aligner *aligner, const struct align_step *step)
{
	aligner->count = 0;
	for (uint8_t side = 0; side < DIFF_SIDES; side++) {
		for (uint32_t i = 0; i < aligner->all[side]->count; i++) {
			const struct region *region = aligner->all[side]->regions[i];

			if (aligner->has_calls[side][i] && aligner->other[side][i] == DIFF_NONE &&
			    align_is_candidate(region, step))
				aligner->candidates[aligner->count++] =
					(struct candidate){region, i, side};
		}
	}
}

static bool is_one_file(const struct candidate *candidates, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (strcmp(align_path_of(candidates[0].region),
			   align_path_of(candidates[i].region)) != 0)
			return false;
	}
	return true;
}

static enum diff_match match_of(const struct candidate *before, const struct candidate *after,
				const struct align_step *step)
{
	bool is_there = step->name == NAME_FULL && step->match == DIFF_BY_NAME &&
			before->region->line == after->region->line;

	return is_there ? DIFF_BY_IDENTITY : step->match;
}

/* Those of one key: first those before, then those after. */
static void match_group(struct aligner *aligner, const struct align_step *step,
			const struct candidate *group, size_t count)
{
	size_t half = count / 2, before = 0;

	while (before < count && group[before].side == DIFF_BEFORE)
		before++;
	if (count % 2 || before != half)
		return;
	if (half > 1 &&
	    !(step->is_ordered && is_one_file(group, half) && is_one_file(group + half, half)))
		return;
	for (size_t i = 0; i < half; i++) {
		uint32_t first = group[i].number, second = group[half + i].number;

		aligner->other[DIFF_BEFORE][first] = second;
		aligner->other[DIFF_AFTER][second] = first;
		aligner->match[first] = (uint8_t)match_of(&group[i], &group[half + i], step);
	}
}

static void take_step(struct aligner *aligner, const struct align_step *step)
{
	const struct candidate *candidates = aligner->candidates;

	align_collect(aligner, step);
	if (aligner->count == 0)
		return;
	qsort_r(aligner->candidates, aligner->count, sizeof(*candidates), compare_candidates,
		(void *)step);
	for (size_t begin = 0, end; begin < aligner->count; begin = end) {
		for (end = begin + 1; end < aligner->count; end++) {
			if (align_compare_keys(&candidates[begin], &candidates[end], step) != 0)
				break;
		}
		match_group(aligner, step, &candidates[begin], end - begin);
	}
}

static void align_add_region(struct diff_alignment *out,
			     const struct region_union *const all[DIFF_SIDES], uint32_t before,
			     uint32_t after, enum diff_match match)
{
	struct diff_region *region = &out->regions[out->count];

	*region = (struct diff_region){.match = match};
	if (before != DIFF_NONE) {
		region->region[DIFF_BEFORE] = all[DIFF_BEFORE]->regions[before];
		out->number[DIFF_BEFORE][before] = out->count;
	}
	if (after != DIFF_NONE) {
		region->region[DIFF_AFTER] = all[DIFF_AFTER]->regions[after];
		out->number[DIFF_AFTER][after] = out->count;
	}
	out->count++;
}

static void number_regions(const struct aligner *aligner, struct diff_alignment *out)
{
	for (uint32_t i = 0; i < aligner->all[DIFF_BEFORE]->count; i++) {
		if (aligner->has_calls[DIFF_BEFORE][i])
			align_add_region(out, aligner->all, i, aligner->other[DIFF_BEFORE][i],
					 (enum diff_match)aligner->match[i]);
	}
	for (uint32_t i = 0; i < aligner->all[DIFF_AFTER]->count; i++) {
		if (aligner->has_calls[DIFF_AFTER][i] && aligner->other[DIFF_AFTER][i] == DIFF_NONE)
			align_add_region(out, aligner->all, DIFF_NONE, i, DIFF_ALONE);
	}
}

static uint32_t *numbers_of_none(uint32_t count)
{
	uint32_t *numbers = malloc((count + (size_t)1) * sizeof(*numbers));

	if (numbers)
		memset(numbers, 0xff, (count + (size_t)1) * sizeof(*numbers));
	return numbers;
}

enum kymo_status diff_align(const struct region_union *const all[DIFF_SIDES],
			    bool *const has_calls[DIFF_SIDES], struct diff_alignment *out)
{
	struct aligner aligner = {.all = all, .has_calls = has_calls};
	size_t total = (size_t)all[DIFF_BEFORE]->count + all[DIFF_AFTER]->count + 1;
	bool is_complete;

	*out = (struct diff_alignment){.regions = calloc(total, sizeof(*out->regions))};
	aligner.candidates = calloc(total, sizeof(*aligner.candidates));
	aligner.match = calloc(all[DIFF_BEFORE]->count + (size_t)1, sizeof(*aligner.match));
	is_complete = out->regions && aligner.candidates && aligner.match;
	for (int side = 0; side < DIFF_SIDES; side++) {
		aligner.other[side] = numbers_of_none(all[side]->count);
		out->number[side] = numbers_of_none(all[side]->count);
		is_complete = is_complete && aligner.other[side] && out->number[side];
	}
	for (size_t i = 0; is_complete && i < sizeof(steps) / sizeof(*steps); i++)
		take_step(&aligner, &steps[i]);
	if (is_complete)
		number_regions(&aligner, out);
	free(aligner.candidates);
	free(aligner.match);
	free(aligner.other[DIFF_BEFORE]);
	free(aligner.other[DIFF_AFTER]);
	if (is_complete)
		return KYMO_OK;
	diff_alignment_release(out);
	return KYMO_MEMORY;
}

void diff_alignment_release(struct diff_alignment *alignment)
{
	free(alignment->regions);
	free(alignment->number[DIFF_BEFORE]);
	free(alignment->number[DIFF_AFTER]);
	*alignment = (struct diff_alignment){0};
}

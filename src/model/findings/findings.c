/* Collecting findings: everyone who looks for them is asked, the largest remain. */
#include "model/findings/findings.h"
#include "text/cells.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/basename.h"
#include "base/text/utf8.h"
#include "model/findings/findings_private.h"
#include "model/parts/runtime_code.h"

#define NAME_COLUMNS 48

void finding_add(struct findings_builder *builder, struct finding about, const char *format, ...)
{
	struct finding *grown =
		array_grow(builder->items, &builder->capacity, builder->count + 1, sizeof(*grown));
	va_list arguments;
	int length;

	if (!grown) {
		builder->has_failed = true;
		return;
	}
	builder->items = grown;
	va_start(arguments, format);
	length = vasprintf(&about.text, format, arguments);
	va_end(arguments);
	if (length < 0)
		builder->has_failed = true;
	else
		grown[builder->count++] = about;
}

/* " of tides.py:12" behind a name that many have: that of a lambda, of a module's body. */
static void findings_add_place(const struct region *region, char *text, size_t size)
{
	char file[4 * NAME_COLUMNS];
	size_t length = strlen(text);

	if (region->kind != KYMO_REGION_PYTHON || region->name[0] != '<' || !region->file)
		return;
	utf8_clean(path_base_name(region->file), file, sizeof(file));
	file[cells_cut(file, NAME_COLUMNS / 2)] = '\0';
	if (strcmp(region->name, "<module>") == 0)
		snprintf(text + length, size - length, " of %s", file);
	else
		snprintf(text + length, size - length, " of %s:%u", file, region->line);
}

const char *finding_name(const struct findings_builder *builder, uint32_t region,
			 char text[FINDING_NAME_MAX])
{
	char name[4 * NAME_COLUMNS];
	size_t length;

	region_name(builder->regions->regions[region], name, sizeof(name));
	for (char *c = name; *c; c++)
		if (*c == '`')
			*c = '\'';
	length = cells_cut(name, NAME_COLUMNS);
	if (length > FINDING_NAME_MAX - 8)
		length = cells_cut(name, NAME_COLUMNS / 4);
	if (length > FINDING_NAME_MAX - 8) /* more accents than letters */
		length = utf8_offset(name, (FINDING_NAME_MAX - 8) / 4);
	snprintf(text, FINDING_NAME_MAX, "`%.*s%s`", (int)length, name, name[length] ? "..." : "");
	findings_add_place(builder->regions->regions[region], text, FINDING_NAME_MAX);
	return text;
}

const char *finding_percent(double part, double whole, char text[QUANTITY_MAX])
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	snprintf(text, QUANTITY_MAX, percent < 0.95 ? "%.1f %%" : "%.0f %%", percent);
	return text;
}

bool finding_is_work(const struct region *region)
{
	static const char *const systems[] = {"libc.", "libc-", "libpthread", "ld-", "["};
	const char *module = path_base_name(region->module);

	if (region->kind == KYMO_REGION_PTHREAD || region->kind == KYMO_REGION_ROOT ||
	    region->kind == KYMO_REGION_PROGRAM || region->kind == KYMO_REGION_IO)
		return false;
	if (runtime_code_waits(runtime_code_of(region)))
		return false;
	if (region->kind != KYMO_REGION_NATIVE)
		return true;
	for (size_t i = 0; module && i < sizeof(systems) / sizeof(*systems); i++)
		if (strncmp(module, systems[i], strlen(systems[i])) == 0)
			return false;
	/* "futex (kernel)", "[waits for the GIL]", "0x7f5c2a": samples outside of any code. */
	return module || (*region->name != '[' && strncmp(region->name, "0x", 2) != 0 &&
			  !strstr(region->name, " (kernel)"));
}

static int findings_by_cost(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->cost_s != b->cost_s)
		return a->cost_s < b->cost_s ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void findings_look(struct findings_builder *builder)
{
	builder->whole_ns = builder->facts->base.whole_ns;
	findings_of_profile(builder);
	findings_of_libraries(builder);
	findings_of_balance(builder);
	findings_of_waits(builder);
	findings_of_state(builder);
}

/* The largest move over. */
static enum kymo_status findings_take(struct findings_builder *builder, struct findings **out)
{
	struct findings *findings = calloc(1, sizeof(*findings));

	if (!findings || builder->has_failed) {
		free(findings);
		return KYMO_MEMORY;
	}
	if (builder->count > 0)
		qsort(builder->items, builder->count, sizeof(*builder->items), findings_by_cost);
	findings->items = builder->items;
	findings->count = builder->count < FINDINGS_MAX ? builder->count : FINDINGS_MAX;
	for (size_t i = findings->count; i < builder->count; i++)
		free(builder->items[i].text);
	builder->items = NULL;
	builder->count = 0;
	*out = findings;
	return KYMO_OK;
}

enum kymo_status findings_new(const struct loaded_run *loaded, const struct region_union *regions,
			      const struct run_facts *facts, struct findings **out,
			      struct problem *problem)
{
	struct findings_builder builder = {.loaded = loaded, .regions = regions, .facts = facts};
	enum kymo_status status = flat_view_new(loaded->trees, loaded->tree_count, regions,
						KYMO_NO_THREAD, &builder.view);

	if (status == KYMO_OK)
		status = parts_new(loaded, regions, &builder.parts, problem);
	if (status == KYMO_OK) {
		findings_look(&builder);
		status = findings_take(&builder, out);
	}
	for (size_t i = 0; i < builder.count; i++)
		free(builder.items[i].text);
	free(builder.items);
	flat_view_free(builder.view);
	parts_free(builder.parts);
	return status < 0 ? problem_set(problem, status, "out of memory") : KYMO_OK;
}

void findings_free(struct findings *findings)
{
	if (!findings)
		return;
	for (size_t i = 0; i < findings->count; i++)
		free(findings->items[i].text);
	free(findings->items);
	free(findings);
}

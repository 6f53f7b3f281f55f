/* Collects findings of all modules and keeps the largest. */
#include "model/findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "model/findings/findings_balance.h"
#include "model/findings/findings_builder.h"
#include "model/findings/findings_libraries.h"
#include "model/findings/findings_profile.h"
#include "model/findings/findings_state.h"
#include "model/findings/findings_waits.h"

static int findings_by_cost(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;

	if (a->cost_s != b->cost_s)
		return a->cost_s < b->cost_s ? 1 : -1;
	return strcmp(a->text, b->text);
}

static void findings_search(struct findings_builder *builder)
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
		findings_search(&builder);
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

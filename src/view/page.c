/* A page is the viewer around the sections. */
#include "view/page.h"

#include <stdlib.h>

#include "view/page_out.h"
#include "view/page_samples.h"
#include "view/page_template.h"

#define SECTION(name) extern const struct page_section page_##name##_section;
#include "view/page_sections.def"
#undef SECTION

static const struct page_section *const sections[] = {
#define SECTION(name) &page_##name##_section,
#include "view/page_sections.def"
#undef SECTION
};

static void write_part(const struct page_template *part, FILE *out)
{
	fwrite(part->text, 1, part->size, out);
}

static enum kymo_status write_document(const struct page *page, FILE *out, struct problem *problem)
{
	struct page_out data = {.out = out};
	enum kymo_status status = KYMO_OK;

	write_part(page->options.is_served ? &page_template_served_head : &page_template_head, out);
	page_escape(out, page->facts->program);
	write_part(&page_template_body, out);
	for (size_t i = 0; status == KYMO_OK && i < sizeof(sections) / sizeof(*sections); i++)
		status = sections[i]->write(page, &data, problem);
	write_part(&page_template_end, out);
	return status;
}

enum kymo_status page_write(const struct loaded_run *loaded, const struct page_options *options,
			    FILE *out, struct problem *problem)
{
	struct page page = {.loaded = loaded, .options = *options};
	struct run_facts *facts = NULL;
	struct region_union *regions = NULL;
	struct flat_view *flat = NULL;
	struct recording_samples *samples =
		page_samples_open(loaded, &options->sampled, problem);
	enum kymo_status status;

	if (!samples)
		return KYMO_MEMORY;
	status = run_facts_new(loaded, &facts);
	if (status == KYMO_OK)
		status = region_union_new(loaded->trees, loaded->tree_count, &regions);
	if (status == KYMO_OK)
		status = flat_view_new(loaded->trees, loaded->tree_count, regions, KYMO_NO_THREAD,
				       &flat);
	page.facts = facts;
	page.regions = regions;
	page.flat = flat;
	page.samples = samples;
	if (status == KYMO_OK)
		status = write_document(&page, out, problem);
	else
		problem_set(problem, status, "out of memory");
	flat_view_free(flat);
	region_union_free(regions);
	run_facts_free(facts);
	page_samples_close(samples, loaded);
	return status;
}

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

/* What adds regions comes before the union of them. */
static enum kymo_status page_prepare(struct page *page, struct problem *problem)
{
	const struct loaded_run *loaded = page->loaded;
	enum kymo_status status;

	page->samples = page_samples_open(loaded, &page->options.sampled, problem);
	if (!page->samples)
		return KYMO_MEMORY;
	status = activities_new(loaded, &page->activities);
	if (status == KYMO_OK)
		status = source_lines_new(loaded, &page->options.sampled, &page->lines);
	if (status == KYMO_OK)
		status = run_facts_new(loaded, &page->facts);
	if (status == KYMO_OK)
		status = region_union_new(loaded->trees, loaded->tree_count, &page->regions);
	if (status == KYMO_OK)
		status = flat_view_new(loaded->trees, loaded->tree_count, page->regions,
				       KYMO_NO_THREAD, &page->flat);
	return status == KYMO_OK ? status : problem_set(problem, status, "out of memory");
}

static void page_release(struct page *page)
{
	flat_view_free(page->flat);
	region_union_free(page->regions);
	run_facts_free(page->facts);
	source_lines_free(page->lines);
	activities_free(page->activities);
	if (page->samples)
		page_samples_close(page->samples, page->loaded);
}

enum kymo_status page_write(const struct loaded_run *loaded, const struct page_options *options,
			    FILE *out, struct problem *problem)
{
	struct page page = {.loaded = loaded, .options = *options};
	enum kymo_status status;

	page.options.sampled.weight = loaded->weight;
	status = page_prepare(&page, problem);
	if (status == KYMO_OK)
		status = write_document(&page, out, problem);
	page_release(&page);
	return status;
}

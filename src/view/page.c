/* A page is the viewer around its sections. */
#include "view/page.h"

#include "command/xalloc.h"
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

static enum kymo_status page_check(const struct page *page, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; status == KYMO_OK && i < sizeof(sections) / sizeof(*sections); i++)
		if (sections[i]->check)
			status = sections[i]->check(page, problem);
	return status;
}

static void write_document(const struct page *page, FILE *out)
{
	struct page_out data = {.out = out};

	write_part(page->options.is_served ? &page_template_served_head : &page_template_head, out);
	page_escape(out, page->facts->program);
	write_part(&page_template_body, out);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		sections[i]->write(page, &data);
	write_part(&page_template_end, out);
}

/* Code that adds regions runs before the union of them is made. */
static void page_prepare(struct page *page)
{
	const struct loaded_run *loaded = page->loaded;

	page->samples = page_samples_open(loaded, &page->options.sampled);
	xneed(activities_new(loaded, &page->activities) == KYMO_OK);
	xneed(source_lines_new(loaded, &page->options.sampled, &page->lines) == KYMO_OK);
	xneed(run_facts_new(loaded, &page->facts) == KYMO_OK);
	xneed(region_union_new(loaded->trees, loaded->tree_count, &page->regions) == KYMO_OK);
	xneed(flat_view_new(loaded->trees, loaded->tree_count, page->regions, KYMO_NO_THREAD,
			    &page->flat) == KYMO_OK);
}

static void page_release(void *context)
{
	struct page *page = context;

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
	struct xundo undo;

	page.options.sampled.weight = loaded->weight;
	/* A server continues after running out of memory. */
	xundo_push(&undo, page_release, &page);
	page_prepare(&page);
	status = page_check(&page, problem);
	if (status == KYMO_OK)
		write_document(&page, out);
	xundo_pop(&undo);
	page_release(&page);
	return status;
}

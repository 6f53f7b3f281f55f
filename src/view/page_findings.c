/* Section "findings": one sentence each, with the view of kymo report that shows it and its region
 * (-1 = none). */
#include "model/findings/findings.h"

#include "command/xalloc.h"
#include "view/page.h"
#include "view/page_out.h"

static void findings_write_finding(struct json_writer *json, const struct finding *finding)
{
	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "text", finding->text);
	json_pair_text(json, "kind", finding->kind);
	json_pair_text(json, "view", finding->view);
	json_pair_number(json, "region",
			 finding->region == FINDING_NO_REGION ? -1 : (double)finding->region);
	json_pair_number(json, "cost", finding->cost_s);
	json_end_object(json);
}

static void findings_write_findings(const struct page *page, struct page_out *out)
{
	struct json_writer *json = page_json_begin(out, "findings");
	struct findings *findings;

	xneed(findings_new(page->loaded, page->regions, page->facts, &findings, NULL) == KYMO_OK);
	json_begin_array(json);
	for (size_t i = 0; i < findings->count; i++)
		findings_write_finding(json, &findings->items[i]);
	json_end_array(json);
	findings_free(findings);
	page_json_end(out);
}

const struct page_section page_findings_section = {.write = findings_write_findings};

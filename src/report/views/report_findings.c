/* The findings, for people as a numbered list, for programs as a table. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/plaintext.h"
#include "base/text/textbuf.h"
#include "model/findings/findings.h"
#include "report/report_facts.h"
#include "report/views/report_text.h"
#include "text/wrapped.h"

#define INDENT 4
#define DIM    "\033[2m"
#define NORMAL "\033[0m"

static struct table_cell findings_seconds(const struct table_item *item)
{
	return (struct table_cell){.number = ((const struct finding *)item->row)->cost_s};
}

static const struct table_column columns[] = {
	{"SECONDS", "seconds", TABLE_DURATION, TABLE_ALL, .get = findings_seconds},
	{"KIND", "kind", TABLE_TEXT, TABLE_ALL, TABLE_FIELD(struct finding, kind)},
	{"VIEW", "view", TABLE_TEXT, TABLE_ALL, TABLE_FIELD(struct finding, view)},
	{"REGION", "region", TABLE_TEXT, TABLE_ALL,
	 TABLE_REGION(table_get_name, struct finding, region)},
	{"PLACE", "place", TABLE_TEXT, TABLE_ALL,
	 TABLE_REGION(table_get_location, struct finding, region)},
	{"TEXT", "text", TABLE_TEXT, TABLE_ALL, TABLE_FIELD(struct finding, text)},
};

static bool takes_name(const char *view)
{
	return strcmp(view, "butterfly") == 0 || strcmp(view, "histogram") == 0;
}

/* Quoted for a shell. */
static void write_quoted(const struct report *report, const char *name)
{
	struct textbuf clean = {0};

	putc('\'', report->out);
	for (name = plaintext_of(&clean, name); *name; name++)
		fprintf(report->out, *name == '\'' ? "'\\%c'" : "%c", *name);
	putc('\'', report->out);
	textbuf_release(&clean);
}

/* "--butterfly 'fib'": the option that shows it. */
static void write_option(const struct report *report, const struct finding *finding)
{
	bool is_of_ranks = strcmp(finding->view, "ranks") == 0;
	char name[REPORT_NAME_MAX];

	fprintf(report->out, "%*s%s--%s", INDENT, "", report->options.has_colour ? DIM : "",
		finding->view);
	if (finding->region != FINDING_NO_REGION && (is_of_ranks || takes_name(finding->view))) {
		region_name(report->regions->regions[finding->region], name, sizeof(name));
		fputs(is_of_ranks ? " --region " : " ", report->out);
		write_quoted(report, name);
	}
	fprintf(report->out, "%s\n", report->options.has_colour ? NORMAL : "");
}

static void findings_write_list(const struct report *report, const struct findings *findings)
{
	report_write_facts(report);
	putc('\n', report->out);
	for (size_t i = 0; i < report_row_count(report, findings->count); i++) {
		fprintf(report->out, "%2zu. ", i + 1);
		wrapped_write(findings->items[i].text, INDENT, report->options.width, report->out);
		write_option(report, &findings->items[i]);
	}
	if (findings->count == 0)
		fprintf(report->out, "Nothing stands out.\n");
}

enum kymo_status report_findings(const struct report *report, struct problem *problem)
{
	struct region_texts texts = {.regions = report->regions};
	struct table table = {TABLE_COLUMNS(columns), .view = &texts};
	struct findings *findings;
	enum kymo_status status =
		findings_new(report->loaded, report->regions, report->facts, &findings, problem);

	if (status < 0)
		return status;
	table_set_rows(&table, findings->items, report_row_count(report, findings->count));
	if (report->options.form == REPORT_TEXT)
		findings_write_list(report, findings);
	else
		report_write_table(report, &table, "findings", true);
	findings_free(findings);
	return KYMO_OK;
}

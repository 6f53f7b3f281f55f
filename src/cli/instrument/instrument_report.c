/* Lists of functions as files: their fields (instrument_item.h) as text, JSON or XML. */
#include "cli/instrument/instrument_report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/filemode.h"
#include "base/outfile.h"
#include "cli/instrument/instrument_item.h"
#include "text/json_writer.h"

const char *instrument_form_name(enum instrument_form form)
{
	static const char *const names[INSTRUMENT_FORM_COUNT] = {"txt", "json", "xml"};

	return names[form];
}

static const char *report_cost_name(enum patch_cost cost)
{
	return cost == PATCH_COST_COUNTS ? "counts" : cost == PATCH_COST_COARSE ? "coarse" : "full";
}

/* The headings of the fields, from a file that has functions. */
static void text_heading(struct instrument_item *item, FILE *out)
{
	for (size_t i = 0; i < item->report->choice_count; i++) {
		item->choice = &item->report->choices[i];
		item->index = 0;
		if (item->choice->plan.header->function_count == 0)
			continue;
		instrument_item_describe(item);
		for (size_t field = 0; field < item->field_count; field++)
			if (item->fields[field].heading)
				fprintf(out, "%-*s  ", item->fields[field].width,
					item->fields[field].heading);
		fputc('\n', out);
		return;
	}
}

static void text_item(const struct instrument_item *item, FILE *out)
{
	for (size_t i = 0; i < item->field_count; i++) {
		const struct instrument_field *field = &item->fields[i];

		if (!field->heading)
			continue;
		if (field->kind == FIELD_ADDRESS)
			fprintf(out, "0x%0*" PRIx64 "  ", field->width - 2, field->number);
		else if (field->kind == FIELD_NUMBER)
			fprintf(out, "%*" PRIu64 "  ", field->width, field->number);
		else
			fprintf(out, "%-*s%s", field->width, field->text, field->width ? "  " : "");
	}
	fputc('\n', out);
}

static void json_item(struct json_writer *writer, const struct instrument_item *item)
{
	char address[24];

	json_line(writer);
	json_begin_object(writer);
	for (size_t i = 0; i < item->field_count; i++) {
		const struct instrument_field *field = &item->fields[i];

		snprintf(address, sizeof(address), "0x%" PRIx64, field->number);
		if (field->kind == FIELD_BOOL)
			json_pair_bool(writer, field->key, field->number != 0);
		else if (field->kind == FIELD_NUMBER)
			json_pair_count(writer, field->key, field->number);
		else
			json_pair_text(writer, field->key,
				       field->kind == FIELD_ADDRESS ? address : field->text);
	}
	json_end_object(writer);
}

static void build_id_text(const struct plan *plan, char text[2 * PLAN_BUILD_ID_MAX + 1])
{
	text[0] = '\0';
	for (uint32_t i = 0; i < plan->header->build_id_size && i < PLAN_BUILD_ID_MAX; i++)
		snprintf(text + 2 * i, 3, "%02x", plan->header->build_id[i]);
}

static void json_modules(struct json_writer *writer, const struct instrument_report *report)
{
	char build_id[2 * PLAN_BUILD_ID_MAX + 1];

	json_key(writer, "modules");
	json_begin_array(writer);
	for (size_t i = 0; i < report->choice_count; i++) {
		const struct function_choice *choice = &report->choices[i];

		build_id_text(&choice->plan, build_id);
		json_line(writer);
		json_begin_object(writer);
		json_pair_text(writer, "file", choice->path);
		json_pair_text(writer, "build_id", build_id);
		json_pair_count(writer, "functions", choice->counts.found);
		json_pair_count(writer, "instrumentable", choice->counts.possible);
		json_pair_count(writer, "instrumented", choice->counts.taken);
		json_pair_count(writer, "with_all_exits", choice->counts.with_exits);
		json_pair_count(writer, "called", choice->counts.called);
		json_pair_count(writer, "only_counted", choice->counts.only_counted);
		json_end_object(writer);
	}
	json_end_array(writer);
}

static void xml_attribute(FILE *out, const char *key, const char *text)
{
	fprintf(out, " %s=\"", key);
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (*text == '&' || *text == '<' || *text == '>' || *text == '"')
			fprintf(out, "&#%d;", byte);
		else
			fputc(byte < ' ' ? '?' : byte, out);
	}
	fputc('"', out);
}

static void xml_item(const struct instrument_item *item, FILE *out)
{
	char number[24];

	fputs("  <function", out);
	for (size_t i = 0; i < item->field_count; i++) {
		const struct instrument_field *field = &item->fields[i];

		snprintf(number, sizeof(number),
			 field->kind == FIELD_ADDRESS ? "0x%" PRIx64 : "%" PRIu64, field->number);
		xml_attribute(out, field->key,
			      field->kind == FIELD_TEXT	  ? field->text
			      : field->kind == FIELD_BOOL ? (field->number ? "true" : "false")
							  : number);
	}
	fputs("/>\n", out);
}

static void xml_modules(const struct instrument_report *report, FILE *out)
{
	char build_id[2 * PLAN_BUILD_ID_MAX + 1];

	for (size_t i = 0; i < report->choice_count; i++) {
		const struct function_choice *choice = &report->choices[i];
		const struct function_counts *counts = &choice->counts;

		build_id_text(&choice->plan, build_id);
		fputs("  <module", out);
		xml_attribute(out, "file", choice->path);
		xml_attribute(out, "build_id", build_id);
		fprintf(out,
			" functions=\"%" PRIu64 "\" instrumentable=\"%" PRIu64
			"\" instrumented=\"%" PRIu64 "\" with_all_exits=\"%" PRIu64
			"\" called=\"%" PRIu64 "\" only_counted=\"%" PRIu64 "\"/>\n",
			counts->found, counts->possible, counts->taken, counts->with_exits,
			counts->called, counts->only_counted);
	}
}

static void report_begin(const struct instrument_report *report, enum instrument_list list,
			 enum instrument_form form, struct json_writer *writer)
{
	const char *name = instrument_list_name(list), *cost = report_cost_name(report->cost);

	if (form == INSTRUMENT_XML) {
		fprintf(writer->out,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			"<kymo version=\"%s\" report=\"%s\" cost=\"%s\">\n",
			KYMO_VERSION, name, cost);
		xml_modules(report, writer->out);
	} else if (form == INSTRUMENT_JSON) {
		json_begin_object(writer);
		json_pair_text(writer, "kymo", KYMO_VERSION);
		json_pair_text(writer, "report", name);
		json_pair_text(writer, "cost", cost);
		json_modules(writer, report);
		json_key(writer, "functions");
		json_begin_array(writer);
	}
}

static void report_end(enum instrument_form form, struct json_writer *writer)
{
	if (form == INSTRUMENT_XML) {
		fputs("</kymo>\n", writer->out);
	} else if (form == INSTRUMENT_JSON) {
		json_end_array(writer);
		json_end_object(writer);
		fputc('\n', writer->out);
	}
}

static void report_write_list(const struct instrument_report *report, enum instrument_list list,
			      enum instrument_form form, FILE *out)
{
	struct json_writer writer = {.out = out};
	struct instrument_item item = {.report = report};

	report_begin(report, list, form, &writer);
	if (form == INSTRUMENT_TEXT)
		text_heading(&item, out);
	for (size_t i = 0; i < report->choice_count; i++) {
		item.choice = &report->choices[i];
		for (item.index = 0; item.index < item.choice->plan.header->function_count;
		     item.index++) {
			if (!instrument_list_has(list, item.choice, item.index))
				continue;
			instrument_item_describe(&item);
			if (form == INSTRUMENT_TEXT)
				text_item(&item, out);
			else if (form == INSTRUMENT_JSON)
				json_item(&writer, &item);
			else
				xml_item(&item, out);
		}
	}
	report_end(form, &writer);
	instrument_item_release(&item);
}

/* With its parents. */
static enum kymo_status report_make_folder(const char *folder, struct problem *problem)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s", folder) >= sizeof(path))
		errno = ENAMETOOLONG;
	else
		errno = 0;
	for (char *slash = path; errno == 0 && slash; *slash = '/') {
		slash = strchr(slash + 1, '/');
		if (slash)
			*slash = '\0';
		if (mkdir(path, filemode_folder()) < 0 && errno == EEXIST)
			errno = 0;
		if (!slash)
			break;
	}
	return errno == 0 ? KYMO_OK
			  : problem_set(problem, KYMO_ERROR, "cannot make folder '%s': %s", folder,
					strerror(errno));
}

static enum kymo_status report_write_file(const struct instrument_report *report,
					  enum instrument_list list, enum instrument_form form,
					  const char *folder, struct problem *problem)
{
	struct outfile file;
	enum kymo_status status;
	char *path;

	if (asprintf(&path, "%s/%s.%s", folder, instrument_list_name(list),
		     instrument_form_name(form)) < 0)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = outfile_open_stream(&file, path, problem);
	free(path);
	if (status < 0)
		return status;
	report_write_list(report, list, form, file.stream);
	return outfile_commit(&file, problem);
}

enum kymo_status instrument_report_write(const struct instrument_report *report, const char *folder,
					 enum instrument_form form, struct problem *problem)
{
	enum kymo_status status = report_make_folder(folder, problem);

	for (int list = 0; list < LIST_COUNT && status == KYMO_OK; list++)
		status = report_write_file(report, (enum instrument_list)list, form, folder,
					   problem);
	return status;
}

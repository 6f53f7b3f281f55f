/* Lists of functions.  What is said of a function is one array of fields, which each form writes
 * in its way. */
#include "cli/instrument_report.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/outfile.h"
#include "base/textbuf.h"
#include "base/utf8.h"
#include "report/json_writer.h"

enum field_kind { FIELD_TEXT, FIELD_NUMBER, FIELD_ADDRESS, FIELD_BOOL };

struct field {
	const char *key;     /* in JSON and XML */
	const char *heading; /* in text; NULL = not there */
	enum field_kind kind;
	int width; /* of its column */
	const char *text;
	uint64_t number;
};
#define FIELDS_MAX 20

struct item { /* a function, while it is written */
	const struct instrument_report *report;
	const struct function_choice *choice;
	size_t index;
	char buffer[FUNCTION_NAME_SIZE];
	struct textbuf short_name, signature, linkage_name, module;
	struct field fields[FIELDS_MAX];
	size_t field_count;
};

const char *instrument_list_name(enum instrument_list list)
{
	static const char *const names[LIST_COUNT] = {"available", "instrumented", "excluded",
						      "overlapping"};

	return names[list];
}

const char *instrument_form_name(enum instrument_form form)
{
	static const char *const names[INSTRUMENT_FORM_COUNT] = {"txt", "json", "xml"};

	return names[form];
}

static const char *cost_name(enum patch_cost cost)
{
	return cost == PATCH_COST_COUNTS ? "counts" : cost == PATCH_COST_COARSE ? "coarse" : "full";
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* ---- which functions are in a list --------------------------------------------------------- */

static bool is_in(const struct function_choice *choice, size_t index, enum instrument_list list)
{
	const struct plan_function *function = &choice->plan.functions[index];
	bool is_taken = choice->taken[index] == CHOICE_TAKEN;

	if (function_is_part(function))
		return false;
	switch (list) {
	case LIST_INSTRUMENTED:
		return is_taken;
	case LIST_EXCLUDED:
		return !is_taken && function->reason != PLAN_OVERLAPPING;
	case LIST_OVERLAPPING:
		return function->reason == PLAN_OVERLAPPING;
	case LIST_AVAILABLE:
	case LIST_COUNT:
		break;
	}
	return true;
}

/* ---- a function's fields ------------------------------------------------------------------- */

/* Where the list of parameters begins: the last one that is not inside of others. */
static size_t bare_length(const char *name)
{
	const char *end = strrchr(name, ')');
	int depth = 0;

	for (const char *at = end; at && at > name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (depth == 0)
			return (size_t)(at - name);
	}
	return strlen(name);
}

/* Names come out of files that may hold anything. */
static const char *printable(struct textbuf *buffer, const char *text)
{
	textbuf_clear(buffer);
	textbuf_text(buffer, "");
	while (*text) {
		size_t step = utf8_step(text);

		if (step == 0 || (unsigned char)*text < ' ' || *text == 127)
			textbuf_char(buffer, '?');
		else
			textbuf_bytes(buffer, text, step);
		text += step ? step : 1;
	}
	return buffer->has_failed ? "" : buffer->data;
}

static void add(struct item *item, const struct field *field)
{
	if (item->field_count < FIELDS_MAX)
		item->fields[item->field_count++] = *field;
}

static const char *way_word(enum plan_way way)
{
	static const char *const words[] = {"none", "exits", "call", "entries", "hook"};

	return words[way <= PLAN_WAY_HOOK ? way : 0];
}

/* What of its compiler's is used, or left out. */
static const char *hook_word(const struct plan_function *function)
{
	if (function->way == PLAN_WAY_HOOK)
		return "cyg_profile";
	if (function->way == PLAN_WAY_NONE)
		return "none";
	if (function->flags & PLAN_FUNCTION_ROOM)
		return "nops";
	if (function->flags & PLAN_FUNCTION_FENTRY)
		return "fentry";
	return function->flags & PLAN_FUNCTION_MCOUNT ? "mcount" : "none";
}

/* Why it is not recorded, or not fully; "" = it is. */
static const char *reason_text(const struct item *item)
{
	const struct plan_function *function = &item->choice->plan.functions[item->index];
	enum function_verdict verdict = item->choice->verdicts[item->index];

	if (!function_verdict_takes(verdict))
		return function_verdict_text(verdict, (enum plan_reason)function->reason);
	return function->reason == PLAN_FINE ? ""
					     : plan_reason_text((enum plan_reason)function->reason);
}

static void describe(struct item *item)
{
	const struct plan_function *function = &item->choice->plan.functions[item->index];
	const char *signature = printable(
		&item->signature, function_choice_name(item->choice, item->index,
						       item->report->symbols, item->buffer));
	enum function_verdict verdict = item->choice->verdicts[item->index];
	uint32_t flags = function->flags;

	textbuf_clear(&item->short_name);
	textbuf_bytes(&item->short_name, signature, bare_length(signature));
	const struct field fields[] = {
		{"address", "StartAddress", FIELD_ADDRESS, 14, NULL, function->address},
		{"size", "AddressRange", FIELD_NUMBER, 12, NULL, function->size},
		{"instructions", "#Instructions", FIELD_NUMBER, 13, NULL, function->instructions},
		{"exits", "Exits", FIELD_NUMBER, 5, NULL, function->exits},
		{"linkage", "Linkage", FIELD_TEXT, 7, function_linkage(function), 0},
		{"visibility", "Visibility", FIELD_TEXT, 10, function_visibility(function), 0},
		{"way", "Way", FIELD_TEXT, 7, way_word((enum plan_way)function->way), 0},
		{"compiler_hook", "CompilerHook", FIELD_TEXT, 12, hook_word(function), 0},
		{"decision", "Decision", FIELD_TEXT, 18, function_verdict_word(verdict), 0},
		{"module", "Module", FIELD_TEXT, 16,
		 printable(&item->module, base_name(item->choice->path)), 0},
		{"function", NULL, FIELD_TEXT, 0,
		 item->short_name.has_failed ? "" : item->short_name.data, 0},
		{"signature", "FunctionSignature", FIELD_TEXT, 24, signature, 0},
		{"linkage_name", NULL, FIELD_TEXT, 0,
		 printable(&item->linkage_name, function_choice_mangled(item->choice, item->index)),
		 0},
		{"instrumented", NULL, FIELD_BOOL, 0, NULL, function_verdict_takes(verdict)},
		{"loops", NULL, FIELD_BOOL, 0, NULL, (flags & PLAN_FUNCTION_LOOPS) != 0},
		{"tail_calls", NULL, FIELD_BOOL, 0, NULL, (flags & PLAN_FUNCTION_TAIL_CALLS) != 0},
		{"ifunc", NULL, FIELD_BOOL, 0, NULL, (flags & PLAN_FUNCTION_IFUNC) != 0},
		{"reason", "Reason", FIELD_TEXT, 0, reason_text(item), 0},
	};

	item->field_count = 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		add(item, &fields[i]);
}

/* ---- text ---------------------------------------------------------------------------------- */

/* The headings of what describe() says; of a file without functions there are none. */
static void text_heading(struct item *item, FILE *out)
{
	for (size_t i = 0; i < item->report->choice_count; i++) {
		item->choice = &item->report->choices[i];
		item->index = 0;
		if (item->choice->plan.header->function_count == 0)
			continue;
		describe(item);
		for (size_t field = 0; field < item->field_count; field++)
			if (item->fields[field].heading)
				fprintf(out, "%-*s  ", item->fields[field].width,
					item->fields[field].heading);
		fputc('\n', out);
		return;
	}
}

static void text_item(const struct item *item, FILE *out)
{
	for (size_t i = 0; i < item->field_count; i++) {
		const struct field *field = &item->fields[i];

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

/* ---- JSON ---------------------------------------------------------------------------------- */

static void json_item(struct json_writer *writer, const struct item *item)
{
	char address[24];

	json_line(writer);
	json_begin_object(writer);
	for (size_t i = 0; i < item->field_count; i++) {
		const struct field *field = &item->fields[i];

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

/* ---- XML ----------------------------------------------------------------------------------- */

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

static void xml_item(const struct item *item, FILE *out)
{
	char number[24];

	fputs("  <function", out);
	for (size_t i = 0; i < item->field_count; i++) {
		const struct field *field = &item->fields[i];

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

/* ---- files --------------------------------------------------------------------------------- */

static void begin(const struct instrument_report *report, enum instrument_list list,
		  enum instrument_form form, struct json_writer *writer)
{
	const char *name = instrument_list_name(list), *cost = cost_name(report->cost);

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

static void end(enum instrument_form form, struct json_writer *writer)
{
	if (form == INSTRUMENT_XML) {
		fputs("</kymo>\n", writer->out);
	} else if (form == INSTRUMENT_JSON) {
		json_end_array(writer);
		json_end_object(writer);
		fputc('\n', writer->out);
	}
}

static void write_list(const struct instrument_report *report, enum instrument_list list,
		       enum instrument_form form, FILE *out)
{
	struct json_writer writer = {.out = out};
	struct item item = {.report = report};

	begin(report, list, form, &writer);
	if (form == INSTRUMENT_TEXT)
		text_heading(&item, out);
	for (size_t i = 0; i < report->choice_count; i++) {
		item.choice = &report->choices[i];
		for (item.index = 0; item.index < item.choice->plan.header->function_count;
		     item.index++) {
			if (!is_in(item.choice, item.index, list))
				continue;
			describe(&item);
			if (form == INSTRUMENT_TEXT)
				text_item(&item, out);
			else if (form == INSTRUMENT_JSON)
				json_item(&writer, &item);
			else
				xml_item(&item, out);
		}
	}
	end(form, &writer);
	textbuf_release(&item.short_name);
	textbuf_release(&item.signature);
	textbuf_release(&item.linkage_name);
	textbuf_release(&item.module);
}

/* With those above it. */
static enum kymo_status make_folder(const char *folder, struct problem *problem)
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
		if (mkdir(path, 0777) < 0 && errno == EEXIST)
			errno = 0;
		if (!slash)
			break;
	}
	return errno == 0 ? KYMO_OK
			  : problem_set(problem, KYMO_ERROR, "cannot make folder '%s': %s", folder,
					strerror(errno));
}

static enum kymo_status write_file(const struct instrument_report *report,
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
	write_list(report, list, form, file.stream);
	return outfile_commit(&file, problem);
}

enum kymo_status instrument_report_write(const struct instrument_report *report, const char *folder,
					 enum instrument_form form, struct problem *problem)
{
	enum kymo_status status = make_folder(folder, problem);

	for (int list = 0; list < LIST_COUNT && status == KYMO_OK; list++)
		status = write_file(report, (enum instrument_list)list, form, folder, problem);
	return status;
}

/* ---- standard output ----------------------------------------------------------------------- */

static void print_modules(const struct instrument_report *report, enum instrument_list list)
{
	struct textbuf text = {0};

	for (size_t i = 0; i < report->choice_count; i++) {
		const struct function_choice *choice = &report->choices[i];
		bool is_shown = false;

		for (size_t j = 0; !is_shown && j < choice->plan.header->function_count; j++)
			is_shown = is_in(choice, j, list);
		if (is_shown)
			puts(printable(&text, choice->path));
	}
	textbuf_release(&text);
}

void instrument_report_print(const struct instrument_report *report, enum instrument_list list,
			     const char *word)
{
	bool has_module = strncmp(word, "pair", 4) == 0, is_whole = strchr(word, '+') != NULL;
	char buffer[FUNCTION_NAME_SIZE];
	struct textbuf text = {0};

	if (strcmp(word, "modules") == 0) {
		print_modules(report, list);
		return;
	}
	for (size_t i = 0; i < report->choice_count; i++) {
		const struct function_choice *choice = &report->choices[i];

		for (size_t j = 0; j < choice->plan.header->function_count; j++) {
			const char *name;

			if (!is_in(choice, j, list))
				continue;
			name = printable(&text,
					 function_choice_name(choice, j, report->symbols, buffer));
			if (has_module)
				printf("[%s] ", base_name(choice->path));
			printf("%.*s\n", is_whole ? INT_MAX : (int)bare_length(name), name);
		}
	}
	textbuf_release(&text);
}

void instrument_report_summary(const struct function_choice *choice, char *line, size_t size)
{
	const struct function_counts *counts = &choice->counts;

	snprintf(line, size,
		 "%s: %" PRIu64 " of %" PRIu64 " functions instrumented, %" PRIu64
		 " with all exits",
		 base_name(choice->path), counts->taken, counts->found, counts->with_exits);
}

/* The lists of `kymo avail`, from the tables of the parts that provide them. */
#include "cli/avail/avail_sources.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text/listitem.h"
#include "base/text/textbuf.h"
#include "cli/options/not_built.h"
#include "cli/installed.h"
#include "config/collectors.h"
#include "config/outputname.h"
#include "export/export.h"
#include "format/metric.h"
#include "platform/systemclock.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))
#define LIST(name, heading, table)                                                                 \
	((struct avail_list){                                                                      \
		.title = (heading), .columns = (table), .column_count = COUNT_OF(table)})

const char *avail_type_name(enum setting_type type)
{
	switch (type) {
	case SETTING_BOOL:
		return "bool";
	case SETTING_INTEGER:
		return "integer";
	case SETTING_NUMBER:
		return "number";
	case SETTING_LIST:
		return "list";
	case SETTING_TEXT:
		break;
	}
	return "string";
}

void avail_settings(struct avail_list *list, const struct settings *settings, bool has_advanced)
{
	static const struct avail_column columns[] = {
		{"ENVIRONMENT VARIABLE", AVAIL_NAME, false},
		{"VALUE", AVAIL_VALUE, false},
		{"DATA TYPE", AVAIL_TYPE, false},
		{"CHOICES", AVAIL_STRINGS, true},
		{"DESCRIPTION", AVAIL_DESCRIPTION, false},
		{"CATEGORIES", AVAIL_CATEGORY, false},
	};
	char name[128];

	*list = LIST(settings, "Settings", columns);
	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_row *row = &setting_table[id];

		if (!has_advanced && strstr(row->categories, "advanced") != NULL)
			continue;
		snprintf(name, sizeof(name), "KYMO_%s", row->name);
		avail_list_add(list, true,
			       (const char *const[]){name,
						     settings_text(settings, (enum setting_id)id),
						     avail_type_name(row->type), row->choices,
						     row->help, row->categories});
	}
}

static bool is_io(const char *name)
{
	return strncmp(name, "read_", 5) == 0 || strncmp(name, "written_", 8) == 0;
}

static const char *component_category(const struct metric_info *info)
{
	if (is_io(info->name) || strncmp(info->name, "num_io", 6) == 0)
		return "io";
	if (strcmp(info->display_unit, "MB") == 0)
		return "memory";
	if (strcmp(info->display_unit, "sec") == 0)
		return "timing";
	return strcmp(info->display_unit, "%") == 0 ? "timing,utilization" : "count";
}

void avail_components(struct avail_list *list)
{
	static const struct avail_column columns[] = {
		{"COMPONENT", AVAIL_NAME, false},    {"AVAILABLE", AVAIL_VALUE, false},
		{"VALUE_TYPE", AVAIL_TYPE, false},   {"STRING_IDS", AVAIL_STRINGS, false},
		{"FILENAME", AVAIL_FILENAME, false}, {"DESCRIPTION", AVAIL_DESCRIPTION, false},
		{"CATEGORY", AVAIL_CATEGORY, false},
	};
	bool has_io = access("/proc/self/io", R_OK) == 0;

	*list = LIST(components, "Components", columns);
	for (int metric = 0; metric < KYMO_METRIC_COUNT; metric++) {
		const struct metric_info *info = metric_info((enum kymo_metric)metric);
		bool is_available;

		if (info == NULL)
			continue;
		is_available = has_io || !is_io(info->name);
		avail_list_add(
			list, is_available,
			(const char *const[]){info->name, is_available ? "true" : "false",
					      info->display_scale == 1.0 ? "integer" : "number",
					      info->name, info->name, info->description,
					      component_category(info)});
	}
}

/* "%argN%" is shown for argument 0, the program. */
static char *sources_expand_key(const struct output_context *context, const char *key)
{
	char example[64], *number;

	snprintf(example, sizeof(example), "%s", key);
	number = strstr(example, "argN");
	if (number != NULL)
		number[3] = '0';
	return output_expand(context, example);
}

void avail_keys(struct avail_list *list, const struct settings *settings, bool is_expanded)
{
	static const struct avail_column columns[] = {
		{"KEY", AVAIL_NAME, false},
		{"SHORT", AVAIL_NAME, false},
		{"VALUE", AVAIL_VALUE, false},
		{"DESCRIPTION", AVAIL_DESCRIPTION, false},
	};
	static const struct avail_column plain_columns[] = {
		{"KEY", AVAIL_NAME, false},
		{"SHORT", AVAIL_NAME, false},
		{"DESCRIPTION", AVAIL_DESCRIPTION, false},
	};
	static const char *const command[] = {"kymo-avail", NULL};
	struct output_context context = {.argv = command,
					 .pid = getpid(),
					 .parent_pid = getppid(),
					 .launch_time = systemclock_seconds(),
					 .settings = settings,
					 .environment = environ};
	char *value;

	*list = is_expanded ? LIST(keys, "Output keys", columns)
			    : LIST(keys, "Output keys", plain_columns);
	for (size_t i = 0; i < output_key_count; i++) {
		const struct output_key *key = &output_key_table[i];

		if (!is_expanded) {
			avail_list_add(list, true,
				       (const char *const[]){key->key, key->short_key, key->help});
			continue;
		}
		value = sources_expand_key(&context, key->key);
		avail_list_add(list, true,
			       (const char *const[]){key->key, key->short_key,
						     value != NULL ? value : "", key->help});
		list->has_failed |= value == NULL;
		free(value);
	}
}

/* The instrumenters of the Python interpreter. */
static const struct {
	const char *name;
	int version; /* first one it works on, 3 * 100 + minor */
	const char *description;
} instrumenters[] = {
	{"frame", 308, "Replaces the evaluation of frames (PEP 523)"},
	{"dispatch", 312, "Takes over the interpreter's dispatch of its events"},
	{"monitoring", 312, "Events of the interpreter itself (PEP 669), by callbacks"},
	{"cProfile", 308, "Profile hook called from C"},
	{"cTrace", 308, "Trace hook called from C"},
	{"profile", 308, "sys.setprofile with a Python function, for compatibility"},
	{"trace", 308, "sys.settrace with a Python function, for compatibility"},
	{"dummy", 308, "Records only what the program marks itself"},
};

/* The newest interpreter among the modules that match the pattern, 0 = none. */
static int newest_module(const char *pattern)
{
	glob_t found;
	int newest = 0, major, minor;

	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = strstr(found.gl_pathv[i], "_native.cpython-");

		if (name != NULL && sscanf(name, "_native.cpython-%1d%2d", &major, &minor) == 2 &&
		    major * 100 + minor > newest)
			newest = major * 100 + minor;
	}
	globfree(&found);
	return newest;
}

/* The newest interpreter for which there is a native module: relative to this executable in a
 * build, an installation or a wheel. */
static int newest_interpreter(void)
{
	static const char *const folders[] = {"../python/kymo", "../lib*/kymo/python/kymo",
					      "../lib/*/kymo/python/kymo", ".."};
	char *self = realpath("/proc/self/exe", NULL), *slash;
	struct textbuf pattern = {0};
	int newest = 0, found;

	slash = self != NULL ? strrchr(self, '/') : NULL;
	for (size_t i = 0; slash != NULL && i < COUNT_OF(folders); i++) {
		textbuf_clear(&pattern);
		textbuf_format(&pattern, "%.*s/%s/_native.cpython-*.so", (int)(slash - self), self,
			       folders[i]);
		found = pattern.has_failed ? 0 : newest_module(pattern.data);
		newest = found > newest ? found : newest;
	}
	textbuf_release(&pattern);
	free(self);
	return newest;
}

static void add_instrumenters(struct avail_list *list)
{
	int newest = newest_interpreter();
	char name[64], provider[128];

	for (size_t i = 0; i < COUNT_OF(instrumenters); i++) {
		bool is_available = newest >= instrumenters[i].version;

		snprintf(name, sizeof(name), "python.%s", instrumenters[i].name);
		snprintf(provider, sizeof(provider), "CPython 3.%d or later%s",
			 instrumenters[i].version % 100,
			 is_available ? "" : " with headers (python3-dev), then build Kymo again");
		avail_list_add(list, is_available,
			       (const char *const[]){name, is_available ? "true" : "false",
						     instrumenters[i].description, provider,
						     "KYMO_PYTHON_INSTRUMENTER", "python"});
	}
}

/* "KYMO_FUNCTIONS, KYMO_FUNCTIONS_API"; the caller releases. */
static struct textbuf switches_of(const struct collector_info *collector)
{
	struct textbuf text = {0};

	for (size_t i = 0; i < collector->setting_count; i++)
		textbuf_format(&text, "%sKYMO_%s", i > 0 ? ", " : "",
			       setting_table[collector->settings[i]].name);
	textbuf_text(&text, collector->setting_count == 0 ? "every recording" : "");
	return text;
}

/* The collectors that `kymo run` preloads. */
static void add_preloaded(struct avail_list *list)
{
	for (size_t i = 0; i < collector_count; i++) {
		const struct collector_info *collector = &collector_table[i];
		char *library = installed_library(collector->library);
		struct textbuf switches = switches_of(collector);

		list->has_failed |= switches.has_failed;
		if (!switches.has_failed)
			avail_list_add(list, library != NULL,
				       (const char *const[]){collector->name,
							     library ? "true" : "false",
							     collector->summary, collector->library,
							     switches.data, "run"});
		textbuf_release(&switches);
		free(library);
	}
}

void avail_collectors(struct avail_list *list)
{
	static const struct avail_column columns[] = {
		{"COLLECTOR", AVAIL_NAME, false},
		{"AVAILABLE", AVAIL_VALUE, false},
		{"DESCRIPTION", AVAIL_DESCRIPTION, false},
		{"PROVIDED BY", AVAIL_DESCRIPTION, false},
		{"SWITCHED ON BY", AVAIL_DESCRIPTION, true},
		{"CATEGORY", AVAIL_CATEGORY, false},
	};

	*list = LIST(collectors, "Collectors", columns);
	add_instrumenters(list);
	add_preloaded(list);
}

void avail_exporters(struct avail_list *list)
{
	static const struct avail_column columns[] = {
		{"EXPORTER", AVAIL_NAME, false},
		{"AVAILABLE", AVAIL_VALUE, false},
		{"EXTENSION", AVAIL_FILENAME, false},
		{"DESCRIPTION", AVAIL_DESCRIPTION, false},
	};

	*list = LIST(exporters, "Exporters", columns);
	for (size_t i = 0; i < exporter_count; i++)
		avail_list_add(list, true,
			       (const char *const[]){exporter_table[i]->name, "true",
						     exporter_table[i]->extension,
						     exporter_table[i]->description});
}

static bool has_row(const struct avail_list *list, const char *name)
{
	for (size_t i = 0; i < list->row_count; i++)
		if (strcmp(list->rows[i].cells[0], name) == 0)
			return true;
	return false;
}

static void add_categories(struct avail_list *list, const char *categories, const char *of)
{
	const char *category;
	char name[64];
	size_t length;

	while (!list->has_failed && listitem_next(&categories, &category, &length)) {
		snprintf(name, sizeof(name), "%.*s", (int)length, category);
		if (!has_row(list, name))
			avail_list_add(list, true, (const char *const[]){name, of});
	}
}

void avail_categories(struct avail_list *list)
{
	static const struct avail_column columns[] = {
		{"CATEGORY", AVAIL_NAME, false},
		{"USED BY", AVAIL_NAME, false},
	};

	*list = LIST(categories, "Categories", columns);
	for (int id = 0; id < SETTING_COUNT; id++)
		add_categories(list, setting_table[id].categories, "settings");
	for (int metric = 0; metric < KYMO_METRIC_COUNT; metric++)
		if (metric_info((enum kymo_metric)metric) != NULL)
			add_categories(list,
				       component_category(metric_info((enum kymo_metric)metric)),
				       "components");
}

void avail_not_built(struct avail_list *list)
{
	static const struct avail_column columns[] = {
		{"NOT IN THIS BUILD", AVAIL_NAME, false},
		{"KIND", AVAIL_TYPE, false},
		{"NEEDS", AVAIL_VALUE, false},
		{"COMMAND", AVAIL_CATEGORY, false},
	};
	static const char *const kinds[] = {
		[NOT_BUILT_OPTION] = "option",
		[NOT_BUILT_WORD] = "word",
		[NOT_BUILT_KEY] = "key of presets",
	};
	char name[128];

	*list = LIST(not_built, "Not in this build", columns);
	for (size_t i = 0; i < not_built_count; i++) {
		const struct not_built *row = &not_built_table[i];
		bool is_own = row->kind == NOT_BUILT_OPTION && row->of[0];

		not_built_spell(row, name, sizeof(name));
		avail_list_add(list, false,
			       (const char *const[]){name, kinds[row->kind], row->needs,
						     is_own ? row->of : "kymo run"});
	}
}

/* The filter.  Order: restrict functions (a match forces, a miss drops), include functions (a match
 * forces), exclude functions, own frames, restrict modules, include modules, exclude modules, the
 * machinery of imports.  A function in an exclude list hides all its callees, except for patterns
 * "^<...>$" of unnamed functions; every other rejection drops only the function. */
#include "filter.h"

#include <regex.h>
#include <string.h>

#include "labels.h"

#define NOT_UTF8    "surrogateescape" /* of names of files */
/* The interpreter's import machinery is frozen: its files have these names everywhere. */
#define IMPORT_FILE "<frozen importlib._bootstrap>"

struct pattern {
	regex_t regex;
	bool hides_itself; /* but not its callees */
};

struct pattern_list {
	struct pattern *patterns;
	Py_ssize_t count;
};

enum list_id {
	RESTRICT_FUNCTIONS,
	INCLUDE_FUNCTIONS,
	EXCLUDE_FUNCTIONS,
	RESTRICT_MODULES,
	INCLUDE_MODULES,
	EXCLUDE_MODULES,
	LIST_COUNT
};

static const char *const list_names[LIST_COUNT] = {
	"restrict_functions", "include_functions", "exclude_functions",
	"restrict_modules",   "include_modules",   "exclude_modules",
};

static struct pattern_list lists[LIST_COUNT];
static char *internal_path; /* the package's folder, with the closing slash */
static bool include_internal;

static void list_release(struct pattern_list *list)
{
	for (Py_ssize_t i = 0; i < list->count; i++)
		regfree(&list->patterns[i].regex);
	PyMem_Free(list->patterns);
	list->patterns = NULL;
	list->count = 0;
}

/* <module>, <lambda>, <listcomp>: hiding the callees of a module's body would leave nothing. */
static bool is_of_unnamed(const char *text)
{
	size_t length = strlen(text);

	return length >= 4 && strncmp(text, "^<", 2) == 0 && strcmp(text + length - 2, ">$") == 0;
}

static int pattern_compile(struct pattern *pattern, const char *text, const char *list_name)
{
	char reason[160];
	int result = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);

	if (result == 0) {
		pattern->hides_itself = is_of_unnamed(text);
		return 0;
	}
	regerror(result, &pattern->regex, reason, sizeof(reason));
	PyErr_Format(PyExc_ValueError, "%s: '%s' is no regular expression: %s", list_name, text,
		     reason);
	return -1;
}

/* Patterns and file names need not be UTF-8.  A new reference; NULL with an exception. */
static PyObject *filter_bytes_of(PyObject *unicode)
{
	return PyUnicode_AsEncodedString(unicode, "utf-8", NOT_UTF8);
}

static int compile_item(struct pattern *pattern, PyObject *item, const char *list_name)
{
	PyObject *bytes = filter_bytes_of(item);
	int result = bytes ? pattern_compile(pattern, PyBytes_AS_STRING(bytes), list_name) : -1;

	Py_XDECREF(bytes);
	return result;
}

static int list_compile(struct pattern_list *list, PyObject *texts, const char *name)
{
	PyObject *sequence = PySequence_Fast(texts, "patterns must be a list");
	Py_ssize_t count;

	if (!sequence)
		return -1;
	count = PySequence_Fast_GET_SIZE(sequence);
	list->patterns = PyMem_Calloc((size_t)count + 1, sizeof(*list->patterns));
	list->count = 0;
	while (list->patterns && list->count < count &&
	       compile_item(&list->patterns[list->count],
			    PySequence_Fast_GET_ITEM(sequence, list->count), name) == 0)
		list->count++;
	Py_DECREF(sequence);
	if (list->patterns && list->count == count)
		return 0;
	if (!PyErr_Occurred())
		PyErr_NoMemory();
	list_release(list);
	return -1;
}

static int set_internal_path(PyObject *config)
{
	PyObject *path = PyDict_GetItemString(config, "internal_path"), *bytes;
	const char *text;

	if (!path || path == Py_None)
		return 0;
	bytes = filter_bytes_of(path);
	if (!bytes)
		return -1;
	text = PyBytes_AS_STRING(bytes);
	free(internal_path);
	internal_path = malloc(strlen(text) + 2);
	if (internal_path) {
		strcpy(internal_path, text);
		if (*text && text[strlen(text) - 1] != '/')
			strcat(internal_path, "/");
	} else {
		PyErr_NoMemory();
	}
	Py_DECREF(bytes);
	return internal_path ? 0 : -1;
}

int filter_configure(PyObject *config)
{
	struct pattern_list compiled[LIST_COUNT];
	PyObject *internal = PyDict_GetItemString(config, "include_internal");
	int id, failed = -1;

	memset(compiled, 0, sizeof(compiled));
	for (id = 0; id < LIST_COUNT && failed < 0; id++) {
		PyObject *texts = PyDict_GetItemString(config, list_names[id]);

		if (texts && list_compile(&compiled[id], texts, list_names[id]) < 0)
			failed = id;
	}
	if (failed < 0 && set_internal_path(config) < 0)
		failed = LIST_COUNT;
	if (failed >= 0) {
		for (id = 0; id < failed; id++)
			list_release(&compiled[id]);
		return -1;
	}
	for (id = 0; id < LIST_COUNT; id++) {
		if (!PyDict_GetItemString(config, list_names[id]))
			continue;
		list_release(&lists[id]);
		lists[id] = compiled[id];
	}
	if (internal)
		include_internal = PyObject_IsTrue(internal) > 0;
	return 0;
}

static const struct pattern *filter_match(enum list_id id, const char *text)
{
	const struct pattern_list *list = &lists[id];

	for (Py_ssize_t i = 0; i < list->count; i++)
		if (regexec(&list->patterns[i].regex, text, 0, NULL, 0) == 0)
			return &list->patterns[i];
	return NULL;
}

static bool is_internal(const char *file)
{
	return !include_internal && internal_path &&
	       !strncmp(file, internal_path, strlen(internal_path));
}

/* The decision of the function lists; CODE_UNDECIDED = the module decides. */
static enum code_action filter_decide_function(const char *name)
{
	const struct pattern *excluded;

	if (lists[RESTRICT_FUNCTIONS].count)
		return filter_match(RESTRICT_FUNCTIONS, name) ? CODE_RECORD : CODE_SKIP;
	if (filter_match(INCLUDE_FUNCTIONS, name))
		return CODE_RECORD;
	excluded = filter_match(EXCLUDE_FUNCTIONS, name);
	if (excluded)
		return excluded->hides_itself ? CODE_SKIP : CODE_HIDE;
	return CODE_UNDECIDED;
}

static bool is_machinery(const char *file)
{
	static const char *const files[] = {IMPORT_FILE, "<frozen importlib._bootstrap_external>",
					    "<frozen zipimport>"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (strcmp(file, files[i]) == 0)
			return true;
	return false;
}

/* The functions through which every import of a module passes that is not loaded, or still loading:
 * the second waits for another thread.  Both have the module's name as their first argument. */
static bool is_import(const char *name, const char *file)
{
	return name && file && strcmp(file, IMPORT_FILE) == 0 &&
	       (strcmp(name, "_find_and_load") == 0 || strcmp(name, "_lock_unlock_module") == 0);
}

static enum code_action decide_module(const char *file, bool is_left_out)
{
	if (is_internal(file))
		return CODE_SKIP;
	if (lists[RESTRICT_MODULES].count && !filter_match(RESTRICT_MODULES, file))
		return CODE_SKIP;
	if (filter_match(INCLUDE_MODULES, file))
		return CODE_RECORD;
	return is_left_out || filter_match(EXCLUDE_MODULES, file) ? CODE_SKIP : CODE_RECORD;
}

/* NULL for surrogates that do not represent bytes: no pattern can match them. */
static const char *filter_text_of(PyObject *unicode, PyObject **keep)
{
	return text_borrow(unicode, NOT_UTF8, keep);
}

/* Bodies of modules and of classes have no arguments. */
static bool filter_name_is_called(const PyCodeObject *code)
{
	return (code->co_flags & CO_OPTIMIZED) != 0;
}

enum code_action filter_decide(PyCodeObject *code)
{
	PyObject *keep_name, *keep_file;
	const char *name = filter_text_of(code->co_name, &keep_name);
	const char *file = filter_text_of(code->co_filename, &keep_file);
	bool imports = is_import(name, file);
	enum code_action action = CODE_UNDECIDED;

	if (name)
		action = filter_decide_function(imports ? FILTER_IMPORT : name);
	if (action == CODE_UNDECIDED)
		action = file ? decide_module(file, !imports && is_machinery(file)) : CODE_RECORD;
	Py_XDECREF(keep_name);
	Py_XDECREF(keep_file);
	if (action == CODE_RECORD && imports)
		action = CODE_IMPORT;
	else if (action == CODE_RECORD && collector.include_arguments &&
		 filter_name_is_called(code))
		action = CODE_LABEL;
	return action;
}

bool filter_drops_c_calls(PyCodeObject *code)
{
	PyObject *keep;
	const char *file = filter_text_of(code->co_filename, &keep);
	bool is_skipped = file && decide_module(file, is_machinery(file)) == CODE_SKIP;

	Py_XDECREF(keep);
	return is_skipped;
}

enum code_action filter_decide_c(const char *name)
{
	return filter_decide_function(name);
}

bool filter_includes_internal(void)
{
	return include_internal;
}

/* Loads the settings from command line, environment, files, strongest first. Every value remembers
 * its source and is replaced only by one of the same strength, so that the settings about files are
 * known before any file is read. */
#include "config/settings_load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text/textbuf.h"
#include "config/files/configfile.h"
#include "config/setting_names.h"
#include "config/settings_apply.h"
#include "config/settings_private.h"
#include "config/settings_store.h"

#define FILE_SIZE_MAX	  (1024 * 1024)
#define INCLUDE_DEPTH_MAX 16

struct config_source { /* a file being read, and those that include it */
	struct settings *settings;
	const char *path;
	const struct config_source *includer;
	unsigned int depth;
	unsigned int include_line; /* of the includer */
	bool is_optional;	   /* may be missing */
	dev_t device;
	ino_t inode;
};

static enum kymo_status read_source(struct config_source *source, struct problem *problem);

/* A problem in a file: an error or, without STRICT_CONFIG, a warning. */
static enum kymo_status load_judge(struct settings *settings, enum kymo_status status,
				   const struct problem *problem)
{
	if (status == KYMO_OK || status == KYMO_MEMORY ||
	    settings_bool(settings, SET_STRICT_CONFIG))
		return status;
	return settings_warn(settings, problem);
}

/* If settings are set by another tool's names, that tool's defaults apply. */
static void note_name(struct settings *settings, struct setting_name name)
{
	if (name.id >= 0 &&
	    (name.prefix == SETTING_PREFIX_ROCPROFSYS || name.prefix == SETTING_PREFIX_OMNITRACE))
		settings->is_of_other_tool = true;
}

/* path relative to the including file: "~/" is the home directory. */
static char *resolve_path(const struct config_source *includer, const struct settings *settings,
			  const char *path, size_t length)
{
	struct textbuf resolved = {0};
	const char *home = settings_environment(settings, "HOME");
	const char *slash = includer != NULL ? strrchr(includer->path, '/') : NULL;

	if (length >= 2 && path[0] == '~' && path[1] == '/' && home != NULL) {
		textbuf_text(&resolved, home);
		path++;
		length--;
	} else if (length > 0 && path[0] != '/' && slash != NULL) {
		textbuf_bytes(&resolved, includer->path, (size_t)(slash + 1 - includer->path));
	}
	textbuf_bytes(&resolved, path, length);
	return textbuf_take(&resolved);
}

/* Read the files of a list "a:b;c", in order. */
static enum kymo_status load_read_list(struct settings *settings, const char *list,
				       const struct config_source *includer, unsigned int line,
				       bool is_optional, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	struct config_source source = {.settings = settings,
				       .includer = includer,
				       .depth = includer != NULL ? includer->depth + 1 : 0,
				       .include_line = line,
				       .is_optional = is_optional};
	size_t length;
	char *path;

	for (; status == KYMO_OK && *list != '\0'; list += length) {
		list += strspn(list, ":; \t\n");
		length = strcspn(list, ":;\n");
		while (length > 0 && (list[length - 1] == ' ' || list[length - 1] == '\t'))
			length--;
		if (length == 0)
			continue;
		path = resolve_path(includer, settings, list, length);
		if (path == NULL)
			return problem_set(problem, KYMO_MEMORY, "out of memory");
		source.path = path;
		status = read_source(&source, problem);
		free(path);
	}
	return status;
}

static enum kymo_status load_on_assign(void *object, const char *key, const char *value,
				       unsigned int line, struct problem *problem)
{
	const struct config_source *source = object;
	struct setting_name name = setting_name_resolve(key, strlen(key));
	struct textbuf where = {0};
	struct problem cause;
	enum kymo_status status;

	if (name.id == SET_CONFIG_FILE)
		return load_read_list(source->settings, value, source, line,
				      name.prefix == SETTING_PREFIX_ROCPROFSYS ||
					      name.prefix == SETTING_PREFIX_OMNITRACE,
				      problem);
	textbuf_format(&where, "%s:%u", source->path, line);
	if (where.has_failed)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = settings_assign(source->settings, key, value, SETTING_FROM_FILE, where.data,
				 &cause);
	textbuf_release(&where);
	note_name(source->settings, name);
	if (status == KYMO_OK)
		return KYMO_OK;
	problem_set(problem, status, "%s", cause.text);
	return load_judge(source->settings, status, &cause);
}

static enum kymo_status load_on_malformed(void *object, const char *what, unsigned int line,
					  struct problem *problem)
{
	const struct config_source *source = object;
	struct problem cause;

	problem_set(&cause, KYMO_FORMAT, "%s:%u: %s", source->path, line, what);
	problem_set(problem, KYMO_FORMAT, "%s", cause.text);
	return load_judge(source->settings, KYMO_FORMAT, &cause);
}

static const char *load_on_look_up(void *object, enum config_reference kind, const char *name)
{
	const struct config_source *source = object;
	int id;

	if (kind == CONFIG_REFERENCE_ENVIRONMENT)
		return settings_environment(source->settings, name);
	id = settings_find(name);
	return id >= 0 ? settings_text(source->settings, (enum setting_id)id) : NULL;
}

/* Reports that the source cannot be read, and where it was named. */
static enum kymo_status load_refuse(const struct config_source *source, enum kymo_status status,
				    const char *why, struct problem *problem)
{
	struct problem cause;

	if (source->includer != NULL)
		problem_set(&cause, status, "cannot read configuration file '%s' (%s:%u): %s",
			    source->path, source->includer->path, source->include_line, why);
	else
		problem_set(&cause, status, "cannot read configuration file '%s': %s", source->path,
			    why);
	problem_set(problem, status, "%s", cause.text);
	return load_judge(source->settings, status, &cause);
}

static bool is_open_already(const struct config_source *source)
{
	const struct config_source *outer;

	for (outer = source->includer; outer != NULL; outer = outer->includer)
		if (outer->device == source->device && outer->inode == source->inode)
			return true;
	return false;
}

/* Append the whole file; 0 or an errno value, EFBIG when it is too large. */
static int load_read_all(int fd, struct textbuf *text)
{
	char bytes[4096];
	ssize_t count;

	for (;;) {
		count = read(fd, bytes, sizeof(bytes));
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return errno;
		if (count == 0)
			return text->has_failed ? ENOMEM : 0;
		textbuf_bytes(text, bytes, (size_t)count);
		if (text->length > FILE_SIZE_MAX)
			return EFBIG;
	}
}

static enum kymo_status read_source(struct config_source *source, struct problem *problem)
{
	const struct config_sink sink = {source, load_on_assign, load_on_malformed,
					 load_on_look_up};
	struct textbuf text = {0};
	enum kymo_status status;
	struct stat facts;
	int fd, error;

	if (source->depth > INCLUDE_DEPTH_MAX)
		return load_refuse(source, KYMO_FORMAT, "files include each other too deeply",
				   problem);
	fd = open(source->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 && source->is_optional)
		return KYMO_OK;
	if (fd < 0 || fstat(fd, &facts) < 0) {
		error = errno;
		if (fd >= 0)
			close(fd);
		return load_refuse(source, KYMO_SYSTEM, strerror(error), problem);
	}
	source->device = facts.st_dev;
	source->inode = facts.st_ino;
	if (is_open_already(source)) {
		close(fd);
		return load_refuse(source, KYMO_FORMAT, "it includes itself", problem);
	}
	error = load_read_all(fd, &text);
	close(fd);
	if (error != 0)
		status = load_refuse(source, KYMO_SYSTEM,
				     error == EFBIG ? "it is larger than 1 MB" : strerror(error),
				     problem);
	else
		status = config_parse(text.data, text.length, &sink, problem);
	textbuf_release(&text);
	return status;
}

static enum kymo_status load_overrides(struct settings *settings, const char *const *overrides,
				       struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	const char *equals;
	char *name;

	for (; status == KYMO_OK && overrides != NULL && *overrides != NULL; overrides++) {
		equals = strchr(*overrides, '=');
		if (equals == NULL)
			return problem_set(problem, KYMO_USAGE,
					   "expected NAME=VALUE in place of '%s'", *overrides);
		name = strndup(*overrides, (size_t)(equals - *overrides));
		if (name == NULL)
			return problem_set(problem, KYMO_MEMORY, "out of memory");
		status = settings_set(settings, name, equals + 1, SETTING_FROM_COMMAND, problem);
		free(name);
	}
	return status;
}

/* One variable.  Problems with it are warnings; they never stop the program. */
static enum kymo_status load_variable(struct settings *settings, const char *entry, size_t length,
				      struct setting_name resolved)
{
	enum kymo_status status;
	struct problem problem;
	char *name;

	if (resolved.kind == SETTING_NAME_UNKNOWN && resolved.prefix != SETTING_PREFIX_KYMO)
		return KYMO_OK; /* of another tool */
	name = strndup(entry, length);
	if (name == NULL)
		return KYMO_MEMORY;
	status = settings_set(settings, name, entry + length + 1, SETTING_FROM_ENVIRONMENT,
			      &problem);
	free(name);
	note_name(settings, resolved);
	return status == KYMO_USAGE ? settings_warn(settings, &problem) : status;
}

static enum kymo_status load_environment(struct settings *settings)
{
	char *const *entry;
	enum kymo_status status = KYMO_OK;
	struct setting_name resolved;
	int prefix, is_own_pass;
	size_t length, rest;

	/* The strongest prefix last, and within one prefix the current names last. */
	for (prefix = SETTING_PREFIX_OMNITRACE; prefix < SETTING_PREFIX_COUNT; prefix++) {
		for (is_own_pass = 0; is_own_pass < 2; is_own_pass++) {
			for (entry = settings->environment; *entry != NULL; entry++) {
				/* Entries may be long: most have another prefix. */
				if ((int)setting_prefix_of(*entry, SIZE_MAX, &rest) != prefix)
					continue;
				length = strcspn(*entry, "=");
				if ((*entry)[length] != '=')
					continue;
				resolved = setting_name_resolve(*entry, length);
				if ((resolved.kind != SETTING_NAME_ALIAS) != is_own_pass)
					continue;
				status = load_variable(settings, *entry, length, resolved);
				if (status != KYMO_OK)
					return status;
			}
		}
	}
	return KYMO_OK;
}

static bool is_parsing_suppressed(struct settings *settings)
{
	const char *value = settings_environment(settings, "KYMO_SUPPRESS_PARSING");
	struct problem problem;

	if (value != NULL && settings_set(settings, "SUPPRESS_PARSING", value,
					  SETTING_FROM_ENVIRONMENT, &problem) != KYMO_OK)
		return false; /* reported when the environment is loaded */
	return settings_bool(settings, SET_SUPPRESS_PARSING);
}

static enum kymo_status load_files(struct settings *settings, struct problem *problem)
{
	const char *list = settings_text(settings, SET_CONFIG_FILE);

	if (settings_bool(settings, SET_SUPPRESS_CONFIG))
		return KYMO_OK;
	if (list[0] != '\0')
		return load_read_list(settings, list, NULL, 0, false, problem);
	if (settings_environment(settings, "HOME") == NULL)
		return KYMO_OK;
	return load_read_list(settings, "~/.kymo.cfg;~/.kymo.json", NULL, 0, true, problem);
}

/* Names without effect are reported only when verbose. */
static enum kymo_status publish_notes(struct settings *settings, struct problem *problem)
{
	bool is_shown = settings_integer(settings, SET_VERBOSE) >= 1;
	enum kymo_status status = KYMO_OK;
	size_t i;

	for (i = 0; is_shown && status == KYMO_OK && i < settings->note_count; i++)
		if (!lines_add(&settings->warnings, &settings->warning_count, "%s",
			       settings->notes[i]))
			status = problem_set(problem, KYMO_MEMORY, "out of memory");
	lines_free(settings->notes, settings->note_count);
	settings->notes = NULL;
	settings->note_count = 0;
	return status;
}

enum kymo_status settings_load(struct settings *settings, char *const *environment,
			       const char *const *overrides, struct problem *problem)
{
	static char *const empty[] = {NULL};
	enum kymo_status status;

	settings->environment = environment != NULL ? environment : empty;
	status = load_overrides(settings, overrides, problem);
	if (status == KYMO_OK && !is_parsing_suppressed(settings)) {
		status = load_environment(settings);
		if (status != KYMO_OK)
			problem_set(problem, status, "out of memory");
		else
			status = load_files(settings, problem);
	}
	settings->environment = NULL;
	if (status == KYMO_OK)
		status = settings_apply(settings, problem);
	return status == KYMO_OK ? publish_notes(settings, problem) : status;
}

enum kymo_status settings_load_file(struct settings *settings, const char *path,
				    struct problem *problem)
{
	struct config_source source = {.settings = settings, .path = path};
	enum kymo_status status = read_source(&source, problem);

	return status == KYMO_OK ? publish_notes(settings, problem) : status;
}

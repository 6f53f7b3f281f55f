/* The selected files are known from the settings of the run, the recorded ones from the addresses
 * of the functions: each is in a mapped file. */
#include "model/profile/unmatched_files.h"

#include <limits.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"
#include "base/text/listitem.h"
#include "config/settings.h"
#include "model/functions/functions.h"
#include "model/recording/recording_open.h"
#include "object/image/own_name.h"

#define NAME_BYTES 512

typedef bool (*files_match_fn)(const char *path, const char *requested);

/* As files are selected: by their paths, or by their SONAMEs. */
static bool is_found(const char *path, const char *expression)
{
	const char *slash = strrchr(path, '/');
	char own[NAME_BYTES], by_own_name[PATH_MAX + NAME_BYTES];
	regex_t pattern;
	bool is_found;

	if (regcomp(&pattern, expression, REG_EXTENDED | REG_NOSUB) != 0)
		return true; /* not reported here */
	is_found = regexec(&pattern, path, 0, NULL, 0) == 0;
	if (!is_found && own_name_read(path, own, sizeof(own))) {
		snprintf(by_own_name, sizeof(by_own_name), "%.*s%s",
			 slash ? (int)(slash - path + 1) : 0, path, own);
		is_found = regexec(&pattern, by_own_name, 0, NULL, 0) == 0;
	}
	regfree(&pattern);
	return is_found;
}

/* z, libz and libz.so.1 all select the library libz.so.1.2.13; functions follow a colon. */
static bool files_has_name(const char *path, const char *requested)
{
	const char *name = path_base_name(path);
	size_t length = strcspn(requested, ":");

	if (strncmp(name, requested, length) != 0 && strncmp(name, "lib", 3) == 0)
		name += 3;
	return strncmp(name, requested, length) == 0 &&
	       (name[length] == '\0' || name[length] == '.' || name[length] == '-');
}

/* By the name of the file, or by its SONAME. */
static bool files_is_library(const char *path, const char *requested)
{
	char own[NAME_BYTES];

	return files_has_name(path, requested) ||
	       (own_name_read(path, own, sizeof(own)) && files_has_name(own, requested));
}

static bool has_function(const struct functions *functions, const struct module *module)
{
	for (uint32_t id = 0; id < functions->count; id++) {
		const struct function *function = &functions->items[id];

		if (function->region && function->address >= module->start &&
		    function->address < module->end)
			return true;
	}
	return false;
}

static bool files_is_recorded(const struct loaded_run *loaded, const char *requested,
			      files_match_fn is_match)
{
	for (size_t i = 0; i < loaded->tree_count; i++) {
		const struct recording *recording = loaded->trees[i]->recording;

		for (size_t k = 0; recording->functions && k < recording->module_count; k++)
			if (has_function(recording->functions, &recording->modules[k]) &&
			    is_match(recording->modules[k].path, requested))
				return true;
	}
	return false;
}

static const struct {
	const char *setting, *option;
	files_match_fn is_match;
} kinds[] = {
	{"FUNCTIONS_MODULE_INCLUDE", "--module-include", is_found},
	{"FUNCTIONS_MODULE_RESTRICT", "--module-restrict", is_found},
	{"FUNCTIONS_API", "--trace-api", files_is_library},
};

void unmatched_files_each(const struct loaded_run *loaded, unmatched_files_fn tell, void *context)
{
	const struct recording *first = loaded->trees[0]->recording;

	/* A recording made from others no longer has the list of files. */
	if (first->part_count > 0 || recording_note(first, KYMO_NOTE_INFO, "part of"))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *rest = recording_note(first, KYMO_NOTE_SETTING, kinds[i].setting),
			   *item;
		size_t length;

		while (rest && listitem_next(&rest, &item, &length)) {
			char line[512], *requested = strndup(item, length);

			if (requested && !files_is_recorded(loaded, requested, kinds[i].is_match)) {
				snprintf(line, sizeof(line),
					 "no function was recorded of a file that %s '%s' means: "
					 "none was loaded, or all of its functions were left out",
					 kinds[i].option, requested);
				tell(line, context);
			}
			free(requested);
		}
	}
}

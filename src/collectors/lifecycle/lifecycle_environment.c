/* What a new program needs in its environment to join the run.
 *
 * A program may pass an environment of its own to the programs it starts: empty, without Kymo's
 * variables, or with another LD_PRELOAD.  Missing entries are added, with a list of them in
 * KYMO_RUN_ADDED; the new process removes exactly these before its main(), and keeps them for
 * the programs that it starts itself. */
#include "collectors/lifecycle/lifecycle_environment.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/pages.h"
#include "platform/files/nocancel_io.h"
#include "runtime/lifecycle/rundir.h"
#include "runtime/store/note.h"

#define PREFIX	      "KYMO_"
#define RUN_DIRECTORY "KYMO_RUN_DIR"
#define ADDED	      "KYMO_RUN_ADDED"
#define PRELOAD	      "LD_PRELOAD"
#define OUR_LIBRARY   "libkymo" /* libkymo.so or libkymo-*.so */
#define KEPT_MAX      64u
#define COUNT_MAX     8192u

/* A copy of this process's initial environment: Kymo's variables, and Kymo's part of LD_PRELOAD.
 * Written once, before main(). */
static char *kept[KEPT_MAX + 1];
static size_t kept_count;
static const char *own_libraries = ""; /* separated by colons */

/* The value if entry is of the variable name, else NULL. */
static const char *environment_value_of(const char *entry, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(entry, name, length) && entry[length] == '=' ? entry + length + 1 : NULL;
}

static const char *environment_find(char *const environment[], const char *name)
{
	for (; environment && *environment; environment++)
		if (environment_value_of(*environment, name))
			return environment_value_of(*environment, name);
	return NULL;
}

static bool has_name_of(char *const environment[], const char *entry)
{
	size_t length = strcspn(entry, "=") + 1;

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, entry, length))
			return true;
	return false;
}

/* One item of a list of libraries; false at its end. */
static bool next_library(const char **rest, const char **item, size_t *length)
{
	*rest += strspn(*rest, ": \t");
	*item = *rest;
	*length = strcspn(*rest, ": \t");
	*rest += *length;
	return *length > 0;
}

static bool environment_is_own(const char *item, size_t length)
{
	const char *name = item + length;

	while (name > item && name[-1] != '/')
		name--;
	return (size_t)(item + length - name) > strlen(OUR_LIBRARY) &&
	       !strncmp(name, OUR_LIBRARY, strlen(OUR_LIBRARY)) &&
	       (name[strlen(OUR_LIBRARY)] == '-' || name[strlen(OUR_LIBRARY)] == '.');
}

static bool has_own_libraries(const char *list)
{
	const char *item;
	size_t length;

	while (list && next_library(&list, &item, &length))
		if (environment_is_own(item, length))
			return true;
	return false;
}

struct arena {
	char *next, *end;
};

static char *environment_copy(struct arena *arena, const char *text, size_t length)
{
	char *place = arena->next;

	if ((size_t)(arena->end - arena->next) < length + 1)
		return NULL;
	memcpy(place, text, length);
	place[length] = '\0';
	arena->next += length + 1;
	return place;
}

static void keep_libraries(struct arena *arena, const char *list)
{
	char *start = arena->next;
	const char *item;
	size_t length;

	while (list && next_library(&list, &item, &length)) {
		if (!environment_is_own(item, length))
			continue;
		if (arena->next != start)
			arena->next[-1] = ':';
		if (!environment_copy(arena, item, length))
			return;
	}
	if (arena->next != start)
		own_libraries = start;
}

static size_t environment_bytes_of(char *const environment[])
{
	size_t bytes = 1;

	for (; *environment; environment++)
		bytes += strlen(*environment) + 2;
	return bytes;
}

static void keep_variables(struct arena *arena, char *const environment[])
{
	for (; *environment && kept_count < KEPT_MAX; environment++) {
		if (strncmp(*environment, PREFIX, strlen(PREFIX)) != 0 ||
		    environment_value_of(*environment, ADDED))
			continue;
		kept[kept_count] = environment_copy(arena, *environment, strlen(*environment));
		kept_count += kept[kept_count] != NULL;
	}
}

/* Remove Kymo's libraries from the front of a list; the entry stays at its address. */
static void strip_front(char *entry)
{
	char *value = entry + strlen(PRELOAD "="), *rest = value;

	if (!strncmp(rest, own_libraries, strlen(own_libraries)))
		rest += strlen(own_libraries);
	rest += *rest == ':';
	memmove(value, rest, strlen(rest) + 1);
}

/* True if the item of the list "A,B,C+" begins with the entry's name. */
static bool environment_is_listed(const char *list, const char *entry, bool *is_extended)
{
	size_t length = strcspn(entry, "=");

	while (*list) {
		size_t item = strcspn(list, ",");

		*is_extended = item > 0 && list[item - 1] == '+';
		if (item - *is_extended == length && !strncmp(list, entry, length))
			return true;
		list += item + (list[item] == ',');
	}
	return false;
}

static void environment_remove(char **environment)
{
	const char *list = environment_find(environment, ADDED);
	char **to = environment;

	if (!list)
		return;
	for (char **from = environment; *from; from++) {
		bool is_extended;

		if (environment_value_of(*from, ADDED))
			continue;
		if (environment_is_listed(list, *from, &is_extended)) {
			if (!is_extended)
				continue;
			strip_front(*from);
		}
		*to++ = *from;
	}
	*to = NULL;
}

void lifecycle_environment_keep(void)
{
	struct arena arena;
	size_t bytes;

	if (!environ)
		return;
	bytes = environment_bytes_of(environ);
	arena.next = pages_new(bytes);
	if (!arena.next)
		return;
	arena.end = arena.next + bytes;
	keep_libraries(&arena, environment_find(environ, PRELOAD));
	keep_variables(&arena, environ);
	environment_remove(environ);
}

size_t lifecycle_environment_count(char *const environment[])
{
	size_t count = 0;

	while (environment && environment[count] && count < COUNT_MAX)
		count++;
	return count < COUNT_MAX ? count + LIFECYCLE_PASSING_MORE : 0;
}

struct text { /* written into passing->text; NULL if it does not fit */
	struct lifecycle_passing *passing;
	char *start;
	bool has_failed;
};

static struct text text_begin(struct lifecycle_passing *passing)
{
	return (struct text){passing, passing->text + passing->used, false};
}

static void environment_text_add(struct text *text, const char *bytes, size_t length)
{
	struct lifecycle_passing *passing = text->passing;

	if (text->has_failed || length >= sizeof(passing->text) - passing->used) {
		text->has_failed = true;
		return;
	}
	memcpy(passing->text + passing->used, bytes, length);
	passing->used += length;
	passing->text[passing->used] = '\0';
}

static char *text_end(struct text *text)
{
	text->passing->used++;
	return text->has_failed ? NULL : text->start;
}

static char *preload_with_own(struct lifecycle_passing *passing, const char *program_preload)
{
	struct text text = text_begin(passing);

	environment_text_add(&text, PRELOAD "=", strlen(PRELOAD "="));
	environment_text_add(&text, own_libraries, strlen(own_libraries));
	if (program_preload && *program_preload) {
		environment_text_add(&text, ":", 1);
		environment_text_add(&text, program_preload, strlen(program_preload));
	}
	return text_end(&text);
}

/* NULL if the list becomes empty. */
static char *preload_without_own(struct lifecycle_passing *passing, const char *list)
{
	struct text text = text_begin(passing);
	const char *item;
	size_t length, count = 0;

	environment_text_add(&text, PRELOAD "=", strlen(PRELOAD "="));
	while (next_library(&list, &item, &length)) {
		if (environment_is_own(item, length))
			continue;
		if (count++)
			environment_text_add(&text, ":", 1);
		environment_text_add(&text, item, length);
	}
	return count ? text_end(&text) : NULL;
}

/* The same environment with another entry for LD_PRELOAD; without one if that is NULL. */
static size_t copy_with_preload(char **array, char *const environment[], char *preload)
{
	size_t count = 0;

	for (; environment && *environment; environment++) {
		if (!environment_value_of(*environment, PRELOAD))
			array[count++] = *environment;
		else if (preload)
			array[count++] = preload;
	}
	return count;
}

static char *const *environment_withdraw(struct lifecycle_passing *passing, char **array,
					 char *const environment[], const char *list)
{
	char *preload = preload_without_own(passing, list);

	array[copy_with_preload(array, environment, preload)] = NULL;
	return array;
}

static bool is_refused(char *const environment[])
{
	const char *enabled = environment_find(environment, "KYMO_ENABLED");

	return enabled && (!strcasecmp(enabled, "off") || !strcasecmp(enabled, "false") ||
			   !strcasecmp(enabled, "no") || !strcmp(enabled, "0"));
}

static void list_name(struct text *list, const char *entry)
{
	environment_text_add(list, entry, strcspn(entry, "="));
	environment_text_add(list, ",", 1);
}

static char *const *environment_complete(struct lifecycle_passing *passing, char **array,
					 char *const environment[], const char *program_preload,
					 bool has_run)
{
	char *preload = has_own_libraries(program_preload)
				? NULL
				: preload_with_own(passing, program_preload);
	struct text list;
	size_t count;
	char *added;

	if (!has_own_libraries(program_preload) && !preload)
		return environment;
	count = preload ? copy_with_preload(array, environment, preload)
			: copy_with_preload(array, environment,
					    (char *)program_preload - strlen(PRELOAD "="));
	list = text_begin(passing);
	environment_text_add(&list, ADDED "=", strlen(ADDED "="));
	if (preload)
		environment_text_add(&list, program_preload ? PRELOAD "+," : PRELOAD ",",
				     strlen(PRELOAD) + 1 + !!program_preload);
	if (preload && !program_preload)
		array[count++] = preload;
	kymo_run_sign(kept);
	for (size_t i = 0; !has_run && i < kept_count; i++) {
		if (has_name_of(environment, kept[i]))
			continue;
		array[count++] = kept[i];
		list_name(&list, kept[i]);
	}
	added = text_end(&list);
	if (!added)
		return environment;
	array[count++] = added;
	array[count] = NULL;
	return array;
}

char *const *lifecycle_environment_pass(struct lifecycle_passing *passing, char **array,
					char *const environment[], bool is_loadable)
{
	const char *preload = environment_find(environment, PRELOAD);
	bool has_run = environment_find(environment, RUN_DIRECTORY) != NULL;

	passing->used = 0;
	if (!is_loadable)
		return has_own_libraries(preload)
			       ? environment_withdraw(passing, array, environment, preload)
			       : environment;
	if ((has_run && has_own_libraries(preload)) || !*own_libraries || is_refused(environment) ||
	    kymo_runtime_state() != KYMO_RUNTIME_ACTIVE)
		return environment;
	return environment_complete(passing, array, environment, preload, has_run);
}

static bool can_be_read(const char *item, size_t length)
{
	char path[LIFECYCLE_PATH_MAX];
	int fd;

	if (length >= sizeof(path))
		return true;
	memcpy(path, item, length);
	path[length] = '\0';
	fd = plain_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0) /* otherwise the new program could open no file either */
		return errno == EMFILE || errno == ENFILE;
	plain_close(fd);
	return true;
}

/* Writable for the user that the process acts for. */
static bool can_be_written(const char *folder)
{
	return syscall(SYS_faccessat2, AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ||
	       errno == ENOSYS || errno == EPERM;
}

bool lifecycle_environment_is_in_reach(void)
{
	const char *rest = own_libraries, *item, *run = environment_find(kept, RUN_DIRECTORY);
	size_t length;
	KEEP_ERRNO();

	while (next_library(&rest, &item, &length))
		if (!can_be_read(item, length))
			return false;
	return !run || can_be_written(run);
}

static void take_out(const char *list)
{
	struct lifecycle_passing passing = {.used = 0};
	char *preload = preload_without_own(&passing, list);

	if (preload)
		setenv(PRELOAD, preload + strlen(PRELOAD "="), true);
	else
		unsetenv(PRELOAD);
}

void lifecycle_environment_check(void)
{
	static bool is_noted;
	KEEP_ERRNO();

	if (has_own_libraries(environment_find(environ, PRELOAD)) &&
	    !lifecycle_environment_is_in_reach())
		take_out(environment_find(environ, PRELOAD));
	if (!*own_libraries || kymo_runtime_state() != KYMO_RUNTIME_ACTIVE || is_refused(environ))
		return;
	if (has_own_libraries(environment_find(environ, PRELOAD)) &&
	    environment_find(environ, RUN_DIRECTORY))
		return;
	if (!__atomic_exchange_n(&is_noted, true, __ATOMIC_RELAXED))
		kymo_note_add(KYMO_NOTE_LOSS, "environment",
			      "the program removed Kymo from its environment: what it starts by "
			      "system() or popen() is not recorded");
}

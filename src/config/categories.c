/* What each category controls in Kymo: settings that are switched off without it, or what a
 * collector checks with category_is_on() by name.  Categories with neither are parts that Kymo does
 * not have, named by other tools' configurations. */
#include "config/categories.h"

#include <string.h>
#include <strings.h>

#include "base/text/listitem.h"
#include "base/text/suggest.h"
#include "config/settings.h"
#include "config/settings_private.h"
#include "config/settings_store.h"

#define SETTINGS_MAX 6

struct category {
	const char *name;
	const char *part_of; /* NULL = of none */
	/* Off without it.  0 terminates the list: no category has the first setting. */
	enum setting_id settings[SETTINGS_MAX];
};

_Static_assert(SET_ENABLED == 0, "the setting that is 0 belongs to no category");

static const struct category table[] = {
	{"host", NULL, {SET_FUNCTIONS, SET_FUNCTIONS_API}},
	{"user", NULL, {0}},
	{"python", NULL, {SET_PYTHON_INSTRUMENTER}},
	{"pthread",
	 NULL,
	 {SET_TRACE_THREAD_JOIN, SET_TRACE_THREAD_BARRIERS, SET_TRACE_THREAD_CONDITIONS,
	  SET_TRACE_THREAD_LOCKS, SET_TRACE_THREAD_RW_LOCKS, SET_TRACE_THREAD_SPIN_LOCKS}},
	{"thread_hardware_counter", NULL, {SET_PAPI_EVENTS}},
	/* Samples: sampling_apply(). */
	{"sampling", NULL, {0}},
	{"timer_sampling", "sampling", {0}},
	{"overflow_sampling", "sampling", {0}},
	/* Series: collectors/procstat. */
	{"process_sampling", NULL, {0}},
	{"cpu_frequency", "process_sampling", {0}},
	{"process_page_fault", "process_sampling", {0}},
	{"process_virtual_memory", "process_sampling", {0}},
	{"process_memory_hwm", "process_sampling", {0}},
	{"process_context_switch", "process_sampling", {0}},
	{"process_user_cpu_time", "process_sampling", {0}},
	{"process_kernel_cpu_time", "process_sampling", {0}},
	{"thread_cpu_time", "process_sampling", {0}},
	{"thread_page_fault", "process_sampling", {0}},
	{"thread_context_switch", "process_sampling", {0}},
};
#define CATEGORIES (sizeof(table) / sizeof(*table))

/* Of parts that Kymo does not have; a trailing '*' is a wildcard. */
static const char *const others[] = {
	"kokkos",
	"mpi",
	"ompt",
	"comm_data",
	"causal",
	"thread_wall_time",
	"thread_peak_memory",
	"kernel_hardware_counter",
	"numa",
	"vaapi",
	"timemory",
	"ucx",
	"shmem",
	"rccl",
	"rocm*",
	"device_*",
};

static const struct category *categories_find(const char *name, size_t length)
{
	for (size_t i = 0; i < CATEGORIES; i++)
		if (strlen(table[i].name) == length &&
		    strncasecmp(table[i].name, name, length) == 0)
			return &table[i];
	return NULL;
}

static bool categories_is_of_others(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		size_t fixed = strcspn(others[i], "*");
		bool has_rest = others[i][fixed] != '\0';

		if ((has_rest ? length >= fixed : length == fixed) &&
		    strncasecmp(others[i], name, fixed) == 0)
			return true;
	}
	return false;
}

static bool categories_is_listed(const char *list, const char *name)
{
	const char *item;
	size_t length;

	while (name && listitem_next(&list, &item, &length))
		if (strlen(name) == length && strncasecmp(item, name, length) == 0)
			return true;
	return false;
}

bool category_is_on(const char *enabled, const char *disabled, const char *name)
{
	const struct category *category = categories_find(name, strlen(name));
	const char *rest = enabled, *item;
	size_t length;

	if (!category)
		return true;
	if (categories_is_listed(disabled, category->name) ||
	    categories_is_listed(disabled, category->part_of))
		return false;
	return !listitem_next(&rest, &item, &length) ||
	       categories_is_listed(enabled, category->name) ||
	       categories_is_listed(enabled, category->part_of);
}

static bool categories_is_on(const struct settings *settings, const char *name)
{
	return category_is_on(settings_text(settings, SET_ENABLE_CATEGORIES),
			      settings_text(settings, SET_DISABLE_CATEGORIES), name);
}

static enum kymo_status categories_switch_off(struct settings *settings, enum setting_id id,
					      struct problem *problem)
{
	const char *off = setting_table[id].type == SETTING_BOOL   ? "OFF"
			  : setting_table[id].type == SETTING_LIST ? ""
								   : "dummy"; /* the instrumenter */

	return settings_set(settings, setting_table[id].name, off, SETTING_FROM_COMMAND, problem);
}

/* Without SAMPLING_REALTIME, _CPUTIME and _OVERFLOW samples are taken by wall time; switching off
 * the chosen one must not fall back to that. */
static enum kymo_status sampling_apply(struct settings *settings, struct problem *problem)
{
	bool by_overflow = settings_bool(settings, SET_SAMPLING_OVERFLOW);
	bool by_timer = settings_bool(settings, SET_SAMPLING_REALTIME) ||
			settings_bool(settings, SET_SAMPLING_CPUTIME) || !by_overflow;
	bool keeps_overflow = by_overflow && categories_is_on(settings, "overflow_sampling");
	bool keeps_timer = by_timer && categories_is_on(settings, "timer_sampling");
	enum kymo_status status = KYMO_OK;

	if (!keeps_overflow && !keeps_timer)
		return categories_switch_off(settings, SET_SAMPLING, problem);
	if (!keeps_overflow)
		return categories_switch_off(settings, SET_SAMPLING_OVERFLOW, problem);
	if (!keeps_timer)
		status = categories_switch_off(settings, SET_SAMPLING_REALTIME, problem);
	return status == KYMO_OK && !keeps_timer
		       ? categories_switch_off(settings, SET_SAMPLING_CPUTIME, problem)
		       : status;
}

static enum kymo_status series_apply(struct settings *settings, struct problem *problem)
{
	if (categories_is_on(settings, "process_sampling"))
		return KYMO_OK;
	for (size_t i = 0; i < CATEGORIES; i++)
		if (table[i].part_of && strcmp(table[i].part_of, "process_sampling") == 0 &&
		    categories_is_on(settings, table[i].name))
			return KYMO_OK;
	return categories_switch_off(settings, SET_PROCESS_SAMPLING, problem);
}

static const char *categories_nearest(const char *name, size_t length)
{
	char word[64];
	struct suggestion search;

	if (length >= sizeof(word))
		return NULL;
	memcpy(word, name, length);
	word[length] = '\0';
	suggest_begin(&search, word);
	for (size_t i = 0; i < CATEGORIES; i++)
		suggest_offer(&search, table[i].name);
	return search.best;
}

static enum kymo_status check_names(struct settings *settings, enum setting_id id)
{
	const char *rest = settings_text(settings, id), *item, *near;
	enum kymo_status status = KYMO_OK;
	struct problem warning;
	size_t length;

	while (status == KYMO_OK && listitem_next(&rest, &item, &length)) {
		if (categories_find(item, length) || categories_is_of_others(item, length))
			continue;
		near = categories_nearest(item, length);
		problem_set(&warning, KYMO_USAGE,
			    "KYMO_%s: there is no category '%.*s'; it has no effect%s%s%s",
			    setting_table[id].name, (int)length, item,
			    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		status = settings_warn(settings, &warning);
	}
	return status;
}

enum kymo_status categories_apply(struct settings *settings, struct problem *problem)
{
	enum kymo_status status;

	if (!settings_text(settings, SET_ENABLE_CATEGORIES)[0] &&
	    !settings_text(settings, SET_DISABLE_CATEGORIES)[0])
		return KYMO_OK;
	status = check_names(settings, SET_ENABLE_CATEGORIES);
	if (status == KYMO_OK)
		status = check_names(settings, SET_DISABLE_CATEGORIES);
	if (status != KYMO_OK)
		return problem_set(problem, status, "out of memory");
	status = sampling_apply(settings, problem);
	if (status == KYMO_OK)
		status = series_apply(settings, problem);
	for (size_t i = 0; i < CATEGORIES; i++) {
		if (categories_is_on(settings, table[i].name))
			continue;
		for (size_t k = 0; status == KYMO_OK && k < SETTINGS_MAX && table[i].settings[k];
		     k++)
			status = categories_switch_off(settings, table[i].settings[k], problem);
	}
	return status;
}

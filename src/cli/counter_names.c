/* The counters of the kernel and of PAPI. */
#include "cli/counter_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/text/listitem.h"
#include "base/text/suggest.h"
#include "platform/papi.h"
#include "platform/perfevents.h"

#define NAME_MAX_BYTES 128
#define SHOWN	       3 /* nearest names */

static void names_add(struct avail_list *list, const char *name, const char *device,
		      const char *why, const char *text)
{
	char line[512];

	if (why)
		snprintf(line, sizeof(line), "%s (not here: %s)", text, why);
	avail_list_add(
		list, !why,
		(const char *const[]){name, device, why ? "false" : "true", why ? line : text});
}

static void add_kernel(struct avail_list *list, const struct perfevent *event)
{
	char name[NAME_MAX_BYTES], buffer[64];
	int fd = perfevent_open(event, 0, -1, false);
	const char *why = fd < 0 ? perfevent_reason(errno, buffer, sizeof(buffer)) : NULL;

	if (fd >= 0)
		close(fd);
	snprintf(name, sizeof(name), "perf::%s", event->name);
	names_add(list, name, "CPU", why, event->text);
	if (event->papi)
		names_add(list, event->papi, "CPU", why, event->text);
}

static bool names_is_listed(const struct avail_list *list, const char *name)
{
	for (size_t i = 0; i < list->row_count; i++)
		if (strcasecmp(list->rows[i].cells[0], name) == 0)
			return true;
	return false;
}

static bool add_papi(const struct papi_event *event, void *context)
{
	struct avail_list *list = context;

	if (!names_is_listed(list, event->name))
		names_add(list, event->name, "CPU", event->why, event->text);
	return !list->has_failed;
}

void avail_counters(struct avail_list *list)
{
	static const struct avail_column columns[] = {
		{"HARDWARE COUNTER", AVAIL_NAME, false},
		{"DEVICE", AVAIL_TYPE, false},
		{"AVAILABLE", AVAIL_VALUE, false},
		{"DESCRIPTION", AVAIL_DESCRIPTION, false},
	};
	const char *why;

	*list = (struct avail_list){
		.title = "Hardware counters",
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(*columns),
	};
	for (size_t i = 0; i < perfevent_count; i++)
		add_kernel(list, &perfevent_table[i]);
	if (papi_load(&why))
		papi_each(add_papi, list);
	else
		names_add(list, "PAPI", "CPU", why,
			  "Further presets and the processor's own events");
}

struct search {
	const char *name;
	char found[SHOWN][NAME_MAX_BYTES];
	size_t distances[SHOWN], count;
};

/* Keep the nearest ones, sorted. */
static void names_offer(struct search *search, const char *candidate)
{
	size_t distance = suggest_distance(search->name, candidate), at;

	if (distance > strlen(search->name) / 3 + 1 || strlen(candidate) >= NAME_MAX_BYTES)
		return;
	for (at = search->count; at > 0 && search->distances[at - 1] > distance; at--)
		continue;
	if (at == SHOWN)
		return;
	if (search->count < SHOWN)
		search->count++;
	for (size_t i = search->count - 1; i > at; i--) {
		memcpy(search->found[i], search->found[i - 1], NAME_MAX_BYTES);
		search->distances[i] = search->distances[i - 1];
	}
	snprintf(search->found[at], NAME_MAX_BYTES, "%s", candidate);
	search->distances[at] = distance;
}

static bool offer_papi(const struct papi_event *event, void *context)
{
	names_offer(context, event->name);
	return true;
}

static enum kymo_status names_unknown(const char *name, const char *setting, const char *why,
				      struct problem *problem)
{
	struct search search = {.name = name};
	char buffer[NAME_MAX_BYTES], near[SHOWN * NAME_MAX_BYTES + 32] = "";
	size_t used = 0;

	for (size_t i = 0; i < perfevent_count; i++) {
		snprintf(buffer, sizeof(buffer), "perf::%s", perfevent_table[i].name);
		names_offer(&search, strchr(name, ':') ? buffer : perfevent_table[i].name);
		if (perfevent_table[i].papi)
			names_offer(&search, perfevent_table[i].papi);
	}
	if (!why)
		papi_each(offer_papi, &search);
	for (size_t i = 0; i < search.count; i++)
		used += (size_t)snprintf(near + used, sizeof(near) - used, "%s'%s'",
					 i ? ", " : "; did you mean ", search.found[i]);
	return problem_set(problem, KYMO_USAGE, "unknown event '%s' in KYMO_%s%s%s%s%s", name,
			   setting, near, search.count ? "?" : "; 'kymo avail -H' lists them",
			   why ? " PAPI may know it: " : "", why ? why : "");
}

static enum kymo_status names_check(const char *name, const char *setting, struct problem *problem)
{
	const char *why;

	if (perfevent_find(name))
		return KYMO_OK;
	if (!papi_load(&why) || !papi_knows(name))
		return names_unknown(name, setting, why, problem);
	if (strcmp(setting, setting_table[SET_PAPI_EVENTS].name) == 0)
		return KYMO_OK;
	return problem_set(problem, KYMO_USAGE,
			   "'%s' in KYMO_%s is PAPI's own: samples can be taken of the kernel's "
			   "events alone, which 'kymo avail -H' lists as perf::...",
			   name, setting);
}

enum kymo_status counters_check(const struct settings *settings, struct problem *problem)
{
	static const enum setting_id ids[] = {SET_PAPI_EVENTS, SET_SAMPLING_OVERFLOW_EVENT};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		const char *rest = settings_text(settings, ids[i]), *item;
		enum kymo_status status = KYMO_OK;
		char name[NAME_MAX_BYTES];
		size_t length;

		while (status == KYMO_OK && listitem_next(&rest, &item, &length)) {
			snprintf(name, sizeof(name), "%.*s", (int)length, item);
			status = names_check(name, setting_table[ids[i]].name, problem);
		}
		if (status < 0)
			return status;
	}
	return KYMO_OK;
}

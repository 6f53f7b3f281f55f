/* Series: numbers over time.  Definitions are kept, so that a forked child has the same
 * ids in its own recording. */
#include "runtime/store/seriestable.h"

#include <string.h>

#include "platform/ticks.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/session.h"
#include "runtime/runtime.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/threads/helper.h"

#define SERIES_MAX 4096
#define NAME_BYTES 96
#define UNIT_BYTES 16

struct definition {
	char name[NAME_BYTES];
	char unit[UNIT_BYTES];
	uint32_t thread;
};

static struct definition definitions[SERIES_MAX]; /* guarded by the store's lock */
static uint32_t definition_count = 1;		  /* id 0 means none */

static bool write_definition(uint32_t id)
{
	struct kymo_series *series =
		store_append(KYMO_CHUNK_SERIES, sizeof(*series), sizeof(*series), id);

	if (!series)
		return false;
	series->name = string_intern(definitions[id].name);
	series->unit = string_intern(definitions[id].unit);
	series->thread = definitions[id].thread;
	store_publish(KYMO_CHUNK_SERIES, sizeof(*series));
	return true;
}

static uint32_t seriestable_define(const char *name, const char *unit, uint32_t thread)
{
	struct definition *definition = &definitions[definition_count];

	for (uint32_t id = 1; id < definition_count; id++)
		if (definitions[id].thread == thread &&
		    !strncmp(definitions[id].name, name, NAME_BYTES - 1))
			return id;
	if (definition_count == SERIES_MAX)
		return 0;
	strncpy(definition->name, name, NAME_BYTES - 1);
	strncpy(definition->unit, unit, UNIT_BYTES - 1);
	definition->thread = thread;
	return write_definition(definition_count) ? definition_count++ : 0;
}

uint32_t kymo_series_define(const char *name, const char *unit, bool per_thread)
{
	struct kymo_thread *thread = kymo_thread();
	uint32_t id;

	if (!thread->record || !store_lock())
		return 0;
	id = seriestable_define(name, unit, per_thread ? thread->record->number : KYMO_NO_THREAD);
	store_unlock();
	return id;
}

uint32_t kymo_series_define_for(const char *name, const char *unit, uint32_t thread)
{
	uint32_t id;

	if (session.state != KYMO_RUNTIME_ACTIVE || !store_lock())
		return 0;
	id = seriestable_define(name, unit, thread);
	store_unlock();
	return id;
}

void kymo_series_append(uint32_t series, double value)
{
	struct kymo_point *point;

	if (series == 0 || !session_ensure() || !store_lock())
		return;
	point = store_append(KYMO_CHUNK_POINTS, sizeof(*point), sizeof(*point), 0);
	if (point) {
		point->ticks = ticks_now();
		point->series = series;
		point->value = value;
		store_publish(KYMO_CHUNK_POINTS, sizeof(*point));
	}
	store_unlock();
}

void series_restore(void)
{
	for (uint32_t id = 1; id < definition_count; id++)
		write_definition(id);
}

/* Counters: numbers of the whole process over time.  Each is a series; a thread appends its
 * points to a chunk of its own, so that counting takes no lock. */
#include "runtime/user/usercounters.h"

#include <string.h>

#include "base/hashset.h"
#include "base/keeperrno.h"
#include "runtime/runtime.h"
#include "runtime/store/points.h"
#include "runtime/store/seriestable.h"
#include "runtime/store/store.h"
#include "runtime/user/usercall.h"
#include "runtime/user/userstack.h"

#define COUNTERS_MAX 1024u
#define NAME_BYTES   96u

struct counter {
	char name[NAME_BYTES];
	uint32_t series;
	double value; /* atomic */
};

/* Both guarded by the store's lock except the values; 0 is no counter.  They survive a fork like
 * the series, which keep their ids in the child. */
static struct counter counters[COUNTERS_MAX];
static uint32_t counter_count = 1;
static struct hashset by_name;

static bool usercounters_matches(uint64_t index, const void *name)
{
	return !strncmp(counters[index].name, name, NAME_BYTES - 1);
}

static uint64_t usercounters_hash_name(const char *name)
{
	return hash_bytes(HASH_SEED, name, strnlen(name, NAME_BYTES - 1));
}

/* The lock is held. */
static uint32_t usercounters_insert(const char *name, uint32_t series)
{
	uint32_t index = (uint32_t)hashset_find(&by_name, usercounters_hash_name(name),
						usercounters_matches, name);

	if (index || counter_count == COUNTERS_MAX)
		return index;
	index = counter_count;
	memcpy(counters[index].name, name, strnlen(name, NAME_BYTES - 1));
	counters[index].series = series;
	if (!hashset_insert(&by_name, usercounters_hash_name(name), index))
		return 0;
	counter_count++;
	return index;
}

/* Index of the counter of that name, 0 if there is no space for it. */
static uint32_t usercounters_find(const char *name, const char *unit)
{
	uint32_t index, series;

	if (!store_lock())
		return 0;
	index = (uint32_t)hashset_find(&by_name, usercounters_hash_name(name), usercounters_matches,
				       name);
	store_unlock();
	if (index)
		return index;
	series = kymo_series_define(name, unit ? unit : "", false);
	if (!series || !store_lock())
		return 0;
	index = usercounters_insert(name, series);
	store_unlock();
	return index;
}

static double usercounters_change(double *value, double by)
{
	double before, after;

	__atomic_load(value, &before, __ATOMIC_RELAXED);
	do
		after = before + by;
	while (!__atomic_compare_exchange(value, &before, &after, true, __ATOMIC_RELAXED,
					  __ATOMIC_RELAXED));
	return after;
}

/* Between acquire and release. */
static bool usercounters_append(struct kymo_thread *thread, uint32_t series, double value)
{
	struct kymo_point *point = points_space(&thread->points, thread->record->number);

	if (!point) {
		thread->record->lost_events++;
		return false;
	}
	point->ticks = kymo_now(thread);
	point->series = series;
	point->value = value;
	points_publish(thread->points);
	return true;
}

/* The value is stored also if no point is written, so that the next one is right. */
static int usercounters_count(struct kymo_thread *thread, uint32_t index, double value, bool is_sum)
{
	struct counter *counter = &counters[index];
	bool is_written;

	if (is_sum)
		value = usercounters_change(&counter->value, value);
	else
		__atomic_store(&counter->value, &value, __ATOMIC_RELAXED);
	if (session.hides_user || !kymo_admits(thread) || !user_acquire(thread))
		return KYMO_OFF;
	is_written = usercounters_append(thread, counter->series, value);
	user_release(thread);
	return is_written ? KYMO_SUCCESS : KYMO_INTERNAL;
}

static int count_named(const char *name, const char *unit, double value, bool is_sum)
{
	struct kymo_thread *thread;
	KEEP_ERRNO();
	int result;
	uint32_t index;

	if (!name || !name[0] || !__builtin_isfinite(value))
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	if (!thread)
		return result;
	index = usercounters_find(name, unit);
	result = index ? usercounters_count(thread, index, value, is_sum) : KYMO_INTERNAL;
	return result;
}

int userapi_counter_set(const char *name, const char *unit, double value)
{
	return count_named(name, unit, value, false);
}

int userapi_counter_add(const char *name, const char *unit, double by)
{
	return count_named(name, unit, by, true);
}

int userapi_site_count(struct kymo_site *site, double value, int is_sum)
{
	struct kymo_thread *thread;
	KEEP_ERRNO();
	int result;

	if (!site || !site->name || !site->name[0] || !__builtin_isfinite(value))
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	if (!thread)
		return result;
	if (!site->region)
		__atomic_store_n(&site->region, usercounters_find(site->name, site->function),
				 __ATOMIC_RELAXED);
	result = site->region ? usercounters_count(thread, site->region, value, is_sum != 0)
			      : KYMO_INTERNAL;
	return result;
}

/* Selected regions: how many are open decides whether the process records.  A region is
 * identified by its id, of which several may have one name; ids are noted as they are assigned. */
#include "runtime/control/selected.h"

#include <string.h>

#include "base/pages.h"
#include "base/text/listitem.h"
#include "config/settings.h"
#include "runtime/control/gate.h"
#include "runtime/store/store.h"
#include "runtime/user/userguard.h"

#define REGIONS_MAX (1u << KYMO_EVENT_REGION_BITS)

uint64_t *selected_regions;

/* Guarded by the store's lock. */
static const char *selected_names;
static uint64_t open_count; /* visits of selected regions, on all threads */

void selected_configure(const char *names)
{
	const char *rest = names, *item;
	size_t length;

	selected_names = names;
	if (!selected_regions && listitem_next(&rest, &item, &length))
		selected_regions = pages_new(REGIONS_MAX / 8);
}

static bool has_selected_name(const char *name)
{
	const char *rest = selected_names, *item;
	size_t length;

	while (listitem_next(&rest, &item, &length))
		if (strlen(name) == length && !memcmp(name, item, length))
			return true;
	return false;
}

void selected_learn(uint32_t region, const struct kymo_region_spec *spec)
{
	bool is_users = spec->kind == KYMO_REGION_USER || spec->kind == KYMO_REGION_PHASE;

	if (is_users && region < REGIONS_MAX && spec->name && has_selected_name(spec->name))
		selected_regions[region / 64] |= UINT64_C(1) << region % 64;
}

static bool is_selected(uint32_t region)
{
	return region < REGIONS_MAX && (selected_regions[region / 64] >> region % 64 & 1);
}

void selected_begin(struct kymo_thread *thread, uint32_t region)
{
	if (!is_selected(region) || !store_lock())
		return;
	if (open_count++ == 0)
		gate_cause(KYMO_GATE_BY_REGION, false);
	store_unlock();
	gate_follow(thread);
}

static void end_locked(uint32_t region)
{
	if (is_selected(region) && open_count > 0 && --open_count == 0)
		gate_cause(KYMO_GATE_BY_REGION, true);
}

void selected_end(uint32_t region)
{
	if (!is_selected(region) || !store_lock())
		return;
	end_locked(region);
	store_unlock();
}

void selected_drop(const struct kymo_thread *thread)
{
	for (uint32_t i = 0; selected_regions && i < thread->user_count; i++)
		end_locked(thread->user[i] & USER_REGION);
}

bool selected_fork(const struct kymo_thread *thread)
{
	open_count = 0;
	for (uint32_t i = 0; selected_regions && thread && i < thread->user_count; i++)
		open_count += is_selected(thread->user[i] & USER_REGION);
	return open_count > 0;
}

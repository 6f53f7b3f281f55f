/* What the tests of code in memory share. */
#ifndef KYMO_CODEFIXTURE_H
#define KYMO_CODEFIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "platform/proc/proc_file.h"
#include "platform/proc/proc_maps.h"

#define PAGE 4096u

struct asked_map {
	uint64_t address;
	int protection;
};

static bool map_is_asked(const struct proc_map *map, const char *path, void *context)
{
	struct asked_map *asked = context;

	(void)path;
	if (asked->address < map->start || asked->address >= map->end)
		return true;
	asked->protection = map->protection;
	return false;
}

/* PROT_*, -1 where nothing is mapped. */
static inline int protection_of(const void *address)
{
	struct asked_map asked = {(uint64_t)(uintptr_t)address, -1};

	assert_int_equal(proc_maps_each(PROC_SELF, NULL, 0, map_is_asked, &asked), 0);
	return asked.protection;
}

#endif

/* Which cores are read. */
#include "collectors/procstat/procstat_cores.h"

#include <string.h>

#include "base/text/scan.h"

static bool is_chosen[PROCSTAT_CORES_MAX];
static bool has_choice;

bool procstat_cores_choose(const char *list)
{
	struct scan scan = scan_of(list, strlen(list));
	uint64_t first, last;

	memset(is_chosen, 0, sizeof(is_chosen));
	has_choice = false;
	for (;;) {
		while (scan_literal(&scan, ",") || scan_literal(&scan, ";") ||
		       scan_literal(&scan, " "))
			continue;
		if (scan_is_done(&scan))
			return true;
		if (!scan_number(&scan, &first))
			return false;
		last = first;
		if (scan_literal(&scan, "-") && !scan_number(&scan, &last))
			return false;
		has_choice = true;
		for (; first <= last && first < PROCSTAT_CORES_MAX; first++)
			is_chosen[first] = true;
	}
}

bool procstat_core_is_chosen(unsigned core)
{
	return core < PROCSTAT_CORES_MAX && (!has_choice || is_chosen[core]);
}

/* Energy and power as counted by the processor (RAPL, /sys/class/powercap).  The counters are
 * narrow and wrap around.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define ZONES_MAX  32u
#define NAME_BYTES 32u
#define MICRO	   1e-6

struct zone {
	struct procstat_file file;
	uint64_t range, last, since_ns;
	double joules;
	struct procstat_series energy, power;
};

static struct zone zones[ZONES_MAX];
static unsigned zone_count;
static bool has_zones; /* that may not be read */

/* "intel-rapl:0" and its parts "intel-rapl:0:1"; not "intel-rapl" itself.  The one through
 * memory-mapped registers counts the same. */
static bool energy_open_zone(const char *folder, void *context)
{
	struct scan scan = scan_of(folder, __builtin_strlen(folder));
	struct zone *zone = &zones[zone_count];
	struct procstat_file file;
	char name[NAME_BYTES];

	(void)context;
	if (!scan_find(&scan, "rapl:") && !scan_find(&scan, "rapl-core:"))
		return true;
	*zone = (struct zone){.since_ns = 0};
	has_zones = true;
	if (!procstat_file_open(&zone->file, "sys/class/powercap/%s/energy_uj", folder))
		return true;
	if (!procstat_file_open(&file, "sys/class/powercap/%s/name", folder) ||
	    !procstat_file_line(&file, name, sizeof(name)))
		procstat_format(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, folder);
	procstat_file_close(&file);
	if (!procstat_file_open(&file, "sys/class/powercap/%s/max_energy_range_uj", folder) ||
	    !procstat_file_number(&file, &zone->range))
		zone->range = 0;
	procstat_file_close(&file);
	procstat_series_define(&zone->energy, "J", "Energy %s [%s] (S)", name, scan.at);
	procstat_series_define(&zone->power, "W", "Power %s [%s] (S)", name, scan.at);
	return ++zone_count < ZONES_MAX;
}

static bool open_energy(const char **why_out)
{
	zone_count = 0;
	has_zones = false;
	procstat_folder_walk("sys/class/powercap", energy_open_zone, NULL);
	*why_out = has_zones ? "energy_uj of /sys/class/powercap may be read by root only"
			     : "there is no RAPL zone in /sys/class/powercap";
	return zone_count > 0;
}

static void read_zone(struct zone *zone)
{
	uint64_t value, used, passed_ns = procstat_now_ns() - zone->since_ns;

	if (!procstat_file_number(&zone->file, &value))
		return;
	used = value - zone->last;
	if (value < zone->last)
		used = zone->range > zone->last ? zone->range - zone->last + value : 0;
	if (zone->since_ns == 0) {
		procstat_put(&zone->energy, 0);
	} else if (passed_ns > 0) {
		zone->joules += (double)used * MICRO;
		procstat_put(&zone->energy, zone->joules);
		procstat_put(&zone->power, (double)used * MICRO / ((double)passed_ns * 1e-9));
	}
	zone->last = value;
	zone->since_ns = procstat_now_ns();
}

static void read_energy(void)
{
	for (unsigned i = 0; i < zone_count; i++)
		read_zone(&zones[i]);
}

/* The counters are updated every millisecond: for shorter times the power would be noise. */
const struct procstat_source procstat_energy = {"the energy", true, 10, open_energy, read_energy};

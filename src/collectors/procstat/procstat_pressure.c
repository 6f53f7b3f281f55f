/* Pressure stall information: how long work was stalled on CPU, memory, I/O.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define RESOURCES 3
#define USEC	  1e-6

struct pressure {
	struct procstat_file file;
	bool is_there;
	struct side {
		struct procstat_series share, total;
		struct procstat_growth growth;
	} some, full;
};

static struct pressure pressures[RESOURCES];

static void read_side(struct side *side, struct scan *scan, const char *key, const char *resource)
{
	double share;
	uint64_t total;

	if (!scan_literal(scan, key) || !scan_find(scan, "avg10=") || !scan_real(scan, &share) ||
	    !scan_find(scan, "total=") || !scan_number(scan, &total))
		return;
	if (!side->share.id) {
		procstat_series_define(&side->share, "%", "Pressure %s %s (S)", resource, key);
		procstat_series_define(&side->total, "sec", "Pressure %s %s Time (S)", resource,
				       key);
	}
	procstat_put(&side->share, share);
	procstat_put(&side->total, procstat_grown(&side->growth, total) * USEC);
	scan_line(scan);
}

static const char *const resources[RESOURCES][2] = {
	{"cpu", "CPU"}, {"memory", "Memory"}, {"io", "I/O"}};

/* A kernel may have the files and refuse to open or read them. */
static bool open_pressure(const char **why_out)
{
	bool has_any = false;

	*why_out = "/proc/pressure cannot be read: the kernel has no CONFIG_PSI, or was started "
		   "without psi=1";
	for (unsigned i = 0; i < RESOURCES; i++) {
		pressures[i] = (struct pressure){0};
		pressures[i].is_there =
			procstat_file_open(&pressures[i].file, "proc/pressure/%s", resources[i][0]);
		has_any |= pressures[i].is_there;
	}
	return has_any;
}

static void read_pressure(void)
{
	for (unsigned i = 0; i < RESOURCES; i++) {
		struct scan scan;

		if (!pressures[i].is_there)
			continue;
		scan = procstat_file_read(&pressures[i].file);
		read_side(&pressures[i].some, &scan, "some", resources[i][1]);
		read_side(&pressures[i].full, &scan, "full", resources[i][1]);
	}
}

const struct procstat_source procstat_pressure = {"the pressure", true, 10, open_pressure,
						  read_pressure};

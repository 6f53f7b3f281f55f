/* The load average.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define AVERAGES 3

static struct procstat_file file;
static struct procstat_series averages[AVERAGES];

static bool open_load(const char **why_out)
{
	static const unsigned minutes[AVERAGES] = {1, 5, 15};

	*why_out = "/proc/loadavg cannot be read";
	if (!procstat_file_open(&file, "proc/loadavg"))
		return false;
	for (unsigned i = 0; i < AVERAGES; i++)
		procstat_series_define(&averages[i], "", "Load Average %u min (S)", minutes[i]);
	return true;
}

static void read_load(void)
{
	struct scan scan = procstat_file_read(&file);
	double value;

	for (unsigned i = 0; i < AVERAGES && scan_real(&scan, &value); i++)
		procstat_put(&averages[i], value);
}

/* The kernel changes it every five seconds. */
const struct procstat_source procstat_load = {"the load", true, 1, open_load, read_load};

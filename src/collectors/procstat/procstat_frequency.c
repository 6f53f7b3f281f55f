/* The clock frequency of each core: from sysfs if the kernel controls it, else from
 * /proc/cpuinfo.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_cores.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define KHZ_A_MHZ  1e-3
#define FILES_MAX  256u /* for more cores /proc/cpuinfo is read, all at once */
#define NUMBER_KEY "\nprocessor"
#define CLOCK_KEY  "\ncpu MHz"

static struct procstat_series frequencies[PROCSTAT_CORES_MAX];
static struct procstat_file files[FILES_MAX];
static unsigned file_cores[FILES_MAX];
static unsigned file_count;
static struct procstat_file all_file;

static void frequency_define(unsigned core)
{
	procstat_series_define(&frequencies[core], "MHz", "CPU Frequency [%u] (S)", core);
}

static bool frequency_open_one(const char *name, void *context)
{
	struct scan scan = scan_of(name, __builtin_strlen(name));
	uint64_t core;

	(void)context;
	if (!scan_literal(&scan, "cpu") || !scan_number(&scan, &core) || !scan_is_done(&scan) ||
	    !procstat_core_is_chosen((unsigned)core))
		return true;
	if (!procstat_file_open(&files[file_count],
				"sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
				(unsigned)core))
		return true;
	file_cores[file_count++] = (unsigned)core;
	frequency_define((unsigned)core);
	return file_count < FILES_MAX;
}

/* Each core's block of lines begins with its number. */
static bool each_of_all(bool is_first)
{
	struct scan scan = procstat_file_read(&all_file);
	bool has_any = false;
	uint64_t core;
	double mhz;

	if (scan_is_done(&scan))
		return false;
	for (bool is_there = scan_literal(&scan, &NUMBER_KEY[1]); is_there;
	     is_there = scan_find(&scan, NUMBER_KEY)) {
		if (!scan_find(&scan, ":") || !scan_number(&scan, &core) ||
		    core >= PROCSTAT_CORES_MAX || !procstat_core_is_chosen((unsigned)core))
			continue;
		if (!scan_find(&scan, CLOCK_KEY) || !scan_find(&scan, ":") ||
		    !scan_real(&scan, &mhz))
			break;
		if (is_first)
			frequency_define((unsigned)core);
		procstat_put(&frequencies[core], mhz);
		has_any = true;
	}
	return has_any;
}

static bool open_frequency(const char **why_out)
{
	*why_out = "neither cpufreq of /sys nor /proc/cpuinfo has it";
	file_count = 0;
	for (unsigned i = 0; i < PROCSTAT_CORES_MAX; i++)
		frequencies[i].id = 0;
	procstat_folder_walk("sys/devices/system/cpu", frequency_open_one, NULL);
	if (file_count > 0)
		return true;
	return procstat_file_open(&all_file, "proc/cpuinfo") && each_of_all(true);
}

static void read_frequency(void)
{
	uint64_t khz;

	for (unsigned i = 0; i < file_count; i++)
		if (procstat_file_number(&files[i], &khz))
			procstat_put(&frequencies[file_cores[i]], (double)khz * KHZ_A_MHZ);
	if (file_count == 0)
		each_of_all(false);
}

const struct procstat_source procstat_frequency = {"the frequency of the cores", true, 10,
						   open_frequency, read_frequency};

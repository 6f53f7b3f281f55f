/* The control group of the process: its limits of memory and CPU, their usage, and how often it
 * was throttled.  Version 2 has one directory for all, version 1 one per controller; inside of a
 * container the directory may be the root of what is visible.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"

#include <string.h>

#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define MB	    1e-6
#define USEC	    1e-6
#define NSEC	    1e-9
#define NO_LIMIT_V1 (UINT64_C(1) << 62) /* version 1 has a large number for no limit */

static struct procstat_file limit_file, usage_file, stat_file, quota_file, period_file, cpu_file;
static struct procstat_series memory_limit, memory_usage, cpu_limit, cpu_time, periods, throttled,
	throttled_time;
static struct procstat_growth cpu_growth, period_growth, throttled_growth, time_growth;
static bool has_limit, has_usage, has_stat, has_quota, has_period, has_cpu;
static bool is_second; /* the files are of version 2 */

/* "4:memory:/folder" of /proc/self/cgroup, controller "" for version 2. */
static bool cgroup_folder_of(const char *controller, char *folder_out, size_t size)
{
	struct procstat_file file;
	struct scan scan;

	if (!procstat_file_open(&file, "proc/self/cgroup"))
		return false;
	procstat_file_close(&file);
	scan = procstat_file_read(&file);
	procstat_file_close(&file);
	do {
		struct scan names, line = scan;
		bool is_it;

		if (!scan_find(&line, ":"))
			break;
		names = line;
		if (!scan_find(&line, ":"))
			break;
		names.end = line.at - 1;
		is_it = controller[0] ? false : names.at == names.end;
		while (controller[0] && !is_it && !scan_is_done(&names)) {
			is_it = scan_literal(&names, controller) &&
				(scan_is_done(&names) || *names.at == ',');
			if (!is_it && !scan_find(&names, ","))
				break;
		}
		if (is_it && scan_word(&line, folder_out, size))
			return true;
	} while (scan_line(&scan));
	return false;
}

/* In the directory of the process's group, or in the root of what is mounted. */
static bool open_in(struct procstat_file *file, const char *mount, const char *folder,
		    const char *name)
{
	return procstat_file_open(file, "sys/fs/cgroup%s%s/%s", mount, folder, name) ||
	       procstat_file_open(file, "sys/fs/cgroup%s/%s", mount, name);
}

static void open_second(const char *mount)
{
	char folder[PROCSTAT_PATH / 2];

	if (!cgroup_folder_of("", folder, sizeof(folder)))
		return;
	has_limit = open_in(&limit_file, mount, folder, "memory.max");
	has_usage = open_in(&usage_file, mount, folder, "memory.current");
	has_stat = open_in(&stat_file, mount, folder, "cpu.stat");
	has_quota = open_in(&quota_file, mount, folder, "cpu.max");
}

static void open_first(void)
{
	char folder[PROCSTAT_PATH / 2];

	if (cgroup_folder_of("memory", folder, sizeof(folder))) {
		has_limit = open_in(&limit_file, "/memory", folder, "memory.limit_in_bytes");
		has_usage = open_in(&usage_file, "/memory", folder, "memory.usage_in_bytes");
	}
	if (cgroup_folder_of("cpu", folder, sizeof(folder))) {
		has_stat = open_in(&stat_file, "/cpu", folder, "cpu.stat");
		has_quota = open_in(&quota_file, "/cpu", folder, "cpu.cfs_quota_us");
		has_period = open_in(&period_file, "/cpu", folder, "cpu.cfs_period_us");
	}
	if (cgroup_folder_of("cpuacct", folder, sizeof(folder)))
		has_cpu = open_in(&cpu_file, "/cpuacct", folder, "cpuacct.usage");
}

static void define_all(void)
{
	if (has_limit)
		procstat_series_define(&memory_limit, "MB", "Cgroup Memory Limit (S)");
	if (has_usage)
		procstat_series_define(&memory_usage, "MB", "Cgroup Memory (S)");
	if (has_quota)
		procstat_series_define(&cpu_limit, "cores", "Cgroup CPU Limit (S)");
	if (is_second ? has_stat : has_cpu)
		procstat_series_define(&cpu_time, "sec", "Cgroup CPU Time (S)");
	if (!has_stat)
		return;
	procstat_series_define(&periods, "", "Cgroup CPU Periods (S)");
	procstat_series_define(&throttled, "", "Cgroup Throttled Periods (S)");
	procstat_series_define(&throttled_time, "sec", "Cgroup Throttled Time (S)");
}

static bool open_cgroup(const char **why_out)
{
	*why_out = "/sys/fs/cgroup has no limits or use of memory or CPU";
	has_limit = has_usage = has_stat = has_quota = has_period = has_cpu = false;
	memory_limit.id = memory_usage.id = cpu_limit.id = cpu_time.id = periods.id = throttled.id =
		throttled_time.id = 0;
	cpu_growth = period_growth = throttled_growth = time_growth = (struct procstat_growth){0};
	is_second = true;
	open_second("");
	if (!has_limit && !has_usage && !has_stat && !has_quota) {
		is_second = false;
		open_first();
	}
	define_all();
	return has_limit || has_usage || has_stat || has_quota || has_cpu;
}

/* "max" is not a number, and means no limit: the series stays empty. */
static void cgroup_read_memory(void)
{
	uint64_t bytes;

	if (has_limit && procstat_file_number(&limit_file, &bytes) && bytes < NO_LIMIT_V1)
		procstat_put(&memory_limit, (double)bytes * MB);
	if (has_usage && procstat_file_number(&usage_file, &bytes))
		procstat_put(&memory_usage, (double)bytes * MB);
}

/* "QUOTA PERIOD" in microseconds, in one file or in two. */
static void read_quota(void)
{
	struct scan scan = procstat_file_read(&quota_file);
	uint64_t quota, period;

	if (!scan_number(&scan, &quota))
		return;
	if (!is_second && (!has_period || !procstat_file_number(&period_file, &period)))
		return;
	if (is_second && !scan_number(&scan, &period))
		return;
	if (period > 0)
		procstat_put(&cpu_limit, (double)quota / (double)period);
}

static bool cgroup_value_of(struct scan scan, const char *key, uint64_t *value_out)
{
	do {
		if (scan_literal(&scan, key) && scan_number(&scan, value_out))
			return true;
	} while (scan_line(&scan));
	return false;
}

static void cgroup_read_stat(void)
{
	struct scan scan = procstat_file_read(&stat_file);
	uint64_t value;

	if (is_second && cgroup_value_of(scan, "usage_usec ", &value))
		procstat_put(&cpu_time, procstat_grown(&cpu_growth, value) * USEC);
	if (cgroup_value_of(scan, "nr_periods ", &value))
		procstat_put(&periods, procstat_grown(&period_growth, value));
	if (cgroup_value_of(scan, "nr_throttled ", &value))
		procstat_put(&throttled, procstat_grown(&throttled_growth, value));
	if (cgroup_value_of(scan, is_second ? "throttled_usec " : "throttled_time ", &value))
		procstat_put(&throttled_time,
			     procstat_grown(&time_growth, value) * (is_second ? USEC : NSEC));
}

static void read_cgroup(void)
{
	uint64_t value;

	cgroup_read_memory();
	if (has_quota)
		read_quota();
	if (has_stat)
		cgroup_read_stat();
	if (has_cpu && procstat_file_number(&cpu_file, &value))
		procstat_put(&cpu_time, procstat_grown(&cpu_growth, value) * NSEC);
}

const struct procstat_source procstat_cgroup = {"the control group", true, 10, open_cgroup,
						read_cgroup};

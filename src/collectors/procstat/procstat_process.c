/* The process: its memory, page faults, context switches and CPU time, and those of the
 * children it has waited for.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define MB 1e-6

static struct procstat_file memory_file, peak_file;
static struct procstat_series resident, virtual, peak, switches, waiting_switches, forced_switches,
	faults, minor_faults, major_faults, user_time, kernel_time, child_user, child_kernel;

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static bool open_process(const char **why_out)
{
	*why_out = "/proc/self/statm cannot be read";
	procstat_series_define(&switches, "", "CPU Context Switches (S)");
	procstat_series_define(&waiting_switches, "", "CPU Voluntary Context Switches (S)");
	procstat_series_define(&forced_switches, "", "CPU Involuntary Context Switches (S)");
	procstat_series_define(&faults, "", "CPU Page Faults (S)");
	procstat_series_define(&minor_faults, "", "CPU Minor Page Faults (S)");
	procstat_series_define(&major_faults, "", "CPU Major Page Faults (S)");
	procstat_series_define(&user_time, "sec", "CPU User Time (S)");
	procstat_series_define(&kernel_time, "sec", "CPU Kernel Time (S)");
	if (!procstat_file_open(&memory_file, "proc/self/statm")) {
		resident.id = virtual.id = 0;
		return true;
	}
	procstat_series_define(&resident, "MB", "CPU Memory Usage (S)");
	procstat_series_define(&virtual, "MB", "CPU Virtual Memory Usage (S)");
	return true;
}

static void process_read_memory(void)
{
	double page = (double)sysconf(_SC_PAGESIZE) * MB;
	struct scan scan = procstat_file_read(&memory_file);
	uint64_t all, present;

	if (!scan_number(&scan, &all) || !scan_number(&scan, &present))
		return;
	procstat_put(&virtual, (double)all * page);
	procstat_put(&resident, (double)present * page);
}

/* Of the program without the reading thread. */
static struct rusage own_usage(void)
{
	struct rusage all, reading;

	memset(&all, 0, sizeof(all));
	memset(&reading, 0, sizeof(reading));
	getrusage(RUSAGE_THREAD, &reading);
	getrusage(RUSAGE_SELF, &all);
	all.ru_nvcsw -= reading.ru_nvcsw;
	all.ru_nivcsw -= reading.ru_nivcsw;
	all.ru_minflt -= reading.ru_minflt;
	all.ru_majflt -= reading.ru_majflt;
	timersub(&all.ru_utime, &reading.ru_utime, &all.ru_utime);
	timersub(&all.ru_stime, &reading.ru_stime, &all.ru_stime);
	return all;
}

/* The kernel divides times between user and kernel anew each time, and differently for a thread
 * and for the process: the series neither decrease nor become negative. */
static void put_time(struct procstat_series *series, struct timeval time)
{
	double value = seconds(time), least = series->has_last ? series->last : 0;

	procstat_put(series, value > least ? value : least);
}

static void process_read(void)
{
	struct rusage usage = own_usage();

	procstat_put(&waiting_switches, (double)usage.ru_nvcsw);
	procstat_put(&forced_switches, (double)usage.ru_nivcsw);
	procstat_put(&switches, (double)(usage.ru_nvcsw + usage.ru_nivcsw));
	procstat_put(&minor_faults, (double)usage.ru_minflt);
	procstat_put(&major_faults, (double)usage.ru_majflt);
	procstat_put(&faults, (double)(usage.ru_minflt + usage.ru_majflt));
	put_time(&user_time, usage.ru_utime);
	put_time(&kernel_time, usage.ru_stime);
	if (resident.id)
		process_read_memory();
}

/* That of getrusage() may be from the program that this process ran before. */
static bool open_peak(const char **why_out)
{
	struct scan scan;

	*why_out = "/proc/self/status has no VmHWM";
	if (!procstat_file_open(&peak_file, "proc/self/status"))
		return false;
	scan = procstat_file_read(&peak_file);
	if (!scan_find(&scan, "VmHWM:"))
		return false;
	procstat_series_define(&peak, "MB", "CPU Peak Memory (S)");
	return true;
}

static void read_peak(void)
{
	struct scan scan = procstat_file_read(&peak_file);
	uint64_t kilobytes;

	if (scan_find(&scan, "VmHWM:") && scan_number(&scan, &kilobytes))
		procstat_put(&peak, (double)kilobytes * 1024 * MB);
}

static bool open_children(const char **why_out)
{
	*why_out = "";
	procstat_series_define(&child_user, "sec", "Children User Time (S)");
	procstat_series_define(&child_kernel, "sec", "Children Kernel Time (S)");
	return true;
}

static void read_children(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_CHILDREN, &usage) < 0)
		return;
	procstat_put(&child_user, seconds(usage.ru_utime));
	procstat_put(&child_kernel, seconds(usage.ru_stime));
}

const struct procstat_source procstat_process = {"the process", false, 0, open_process,
						 process_read};
const struct procstat_source procstat_peak = {"the process's peak memory", false, 10, open_peak,
					      read_peak};
const struct procstat_source procstat_children = {"the time of children", false, 10, open_children,
						  read_children};

/* The metrics: timemory's names, descriptions and units, one row each.
 * Clocks are stored in nanoseconds and shown in seconds, memory is stored in bytes and
 * shown in (decimal) megabytes. */
#include "format/metric.h"

#include <stddef.h>
#include <string.h>

#define CLOCK	"ns", "sec", 1e-9
#define MEMORY	"bytes", "MB", 1e-6
#define NUMBER	"", "", 1.0
#define PERCENT "%", "%", 1.0

static const struct metric_info metric_table[KYMO_METRIC_COUNT] = {
#define METRIC(id, name, unit, sums, thread, text)                                                 \
	[KYMO_METRIC_##id] = {KYMO_METRIC_##id, name, text, unit, sums, thread}
	METRIC(WALL_CLOCK, "wall_clock", CLOCK, true, false,
	       "Real-clock timer (i.e. wall-clock timer)"),
	METRIC(TRIP_COUNT, "trip_count", NUMBER, true, false, "Counts number of invocations"),
	METRIC(THREAD_CPU_CLOCK, "thread_cpu_clock", CLOCK, true, true,
	       "CPU-clock timer for the calling thread"),
	METRIC(PROCESS_CPU_CLOCK, "process_cpu_clock", CLOCK, true, false,
	       "CPU-clock timer for the calling process (all threads)"),
	METRIC(USER_CLOCK, "user_clock", CLOCK, true, false, "CPU time spent in user-mode"),
	METRIC(SYSTEM_CLOCK, "system_clock", CLOCK, true, false, "CPU time spent in kernel-mode"),
	METRIC(CPU_CLOCK, "cpu_clock", CLOCK, true, false,
	       "Total CPU time spent in both user- and kernel-mode"),
	METRIC(MONOTONIC_CLOCK, "monotonic_clock", CLOCK, true, false,
	       "Wall-clock timer which will continue to increment even while the system is asleep"),
	METRIC(MONOTONIC_RAW_CLOCK, "monotonic_raw_clock", CLOCK, true, false,
	       "Wall-clock timer unaffected by frequency or time adjustments in system "
	       "time-of-day clock"),
	METRIC(PEAK_RSS, "peak_rss", MEMORY, true, false,
	       "Measures changes in the high-water mark for the amount of memory allocated in "
	       "RAM. May fluctuate if swap is enabled"),
	METRIC(PAGE_RSS, "page_rss", MEMORY, true, false,
	       "Amount of memory allocated in pages of memory. Unlike peak_rss, value will "
	       "fluctuate as memory is freed/allocated"),
	METRIC(VIRTUAL_MEMORY, "virtual_memory", MEMORY, true, false,
	       "Records the change in virtual memory"),
	METRIC(NUM_MAJOR_PAGE_FAULTS, "num_major_page_faults", NUMBER, true, false,
	       "Number of page faults serviced that required I/O activity"),
	METRIC(NUM_MINOR_PAGE_FAULTS, "num_minor_page_faults", NUMBER, true, false,
	       "Number of page faults serviced without any I/O activity via 'reclaiming' a page "
	       "frame from the list of pages awaiting reallocation"),
	METRIC(VOLUNTARY_CONTEXT_SWITCH, "voluntary_context_switch", NUMBER, true, false,
	       "Number of context switches due to a process voluntarily giving up the processor "
	       "before its time slice was completed"),
	METRIC(PRIORITY_CONTEXT_SWITCH, "priority_context_switch", NUMBER, true, false,
	       "Number of context switch due to higher priority process becoming runnable or "
	       "because the current process exceeded its time slice"),
	METRIC(NUM_IO_IN, "num_io_in", NUMBER, true, false,
	       "Number of times the filesystem had to perform input"),
	METRIC(NUM_IO_OUT, "num_io_out", NUMBER, true, false,
	       "Number of times the filesystem had to perform output"),
	METRIC(READ_CHAR, "read_char", MEMORY, true, false,
	       "Number of bytes which this task has caused to be read from storage. Sum of bytes "
	       "which this process passed to read() and pread(). Not disk IO."),
	METRIC(WRITTEN_CHAR, "written_char", MEMORY, true, false,
	       "Number of bytes which this task has caused, or shall cause to be written to "
	       "disk. Similar caveats to read_char."),
	METRIC(READ_BYTES, "read_bytes", MEMORY, true, false,
	       "Number of bytes which this process really did cause to be fetched from the "
	       "storage layer"),
	METRIC(WRITTEN_BYTES, "written_bytes", MEMORY, true, false,
	       "Number of bytes which this process caused to be sent to the storage layer"),
	METRIC(USER_MODE_TIME, "user_mode_time", CLOCK, true, false,
	       "CPU time spent executing in user mode (via rusage)"),
	METRIC(KERNEL_MODE_TIME, "kernel_mode_time", CLOCK, true, false,
	       "CPU time spent executing in kernel mode (via rusage)"),
	METRIC(CURRENT_PEAK_RSS, "current_peak_rss", MEMORY, false, false,
	       "Absolute value of high-water mark of memory allocation in RAM"),
	METRIC(CPU_UTIL, "cpu_util", PERCENT, false, false,
	       "Percentage of CPU-clock time divided by wall-clock time"),
	METRIC(THREAD_CPU_UTIL, "thread_cpu_util", PERCENT, false, true,
	       "Percentage of CPU-clock time divided by wall-clock time for calling thread"),
	METRIC(PROCESS_CPU_UTIL, "process_cpu_util", PERCENT, false, false,
	       "Percentage of CPU-clock time divided by wall-clock time for calling process (all "
	       "threads)"),
	METRIC(SAMPLING_WALL_CLOCK, "sampling_wall_clock", CLOCK, true, false,
	       "Wall-clock timing (derived from statistical sampling)"),
	METRIC(SAMPLING_CPU_CLOCK, "sampling_cpu_clock", CLOCK, true, false,
	       "CPU-clock timing (derived from statistical sampling)"),
	METRIC(SAMPLING_PERCENT, "sampling_percent", PERCENT, true, false,
	       "Fraction of wall-clock time spent in functions"),
	METRIC(SAMPLING_WAITING, "sampling_waiting", CLOCK, true, false,
	       "Wall-clock time that threads waited (derived from statistical sampling)"),
#undef METRIC
};

static struct named {
	struct metric_info info;
	char name[64], unit[16], description[128];
} named[METRIC_NAMED_MAX];
static uint32_t named_count;

static void copy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

uint32_t metric_define(const char *name, const char *unit, const char *description)
{
	const struct metric_info *known = metric_find(name);
	struct named *row = &named[named_count];

	if (known)
		return (uint32_t)known->metric;
	if (named_count == METRIC_NAMED_MAX)
		return KYMO_METRIC_COUNT;
	copy(row->name, name, sizeof(row->name));
	copy(row->unit, unit, sizeof(row->unit));
	copy(row->description, description, sizeof(row->description));
	row->info =
		(struct metric_info){.metric = (enum kymo_metric)(KYMO_METRIC_NAMED + named_count),
				     .name = row->name,
				     .description = row->description,
				     .unit = row->unit,
				     .display_unit = row->unit,
				     .display_scale = 1.0,
				     .is_accumulated = true,
				     .is_per_thread = true};
	return KYMO_METRIC_NAMED + named_count++;
}

uint32_t metric_named_count(void)
{
	return named_count;
}

const struct metric_info *metric_info(enum kymo_metric metric)
{
	if ((unsigned)metric >= KYMO_METRIC_NAMED)
		return (unsigned)metric - KYMO_METRIC_NAMED < named_count
			       ? &named[(unsigned)metric - KYMO_METRIC_NAMED].info
			       : NULL;
	return (unsigned)metric < KYMO_METRIC_COUNT ? &metric_table[metric] : NULL;
}

const struct metric_info *metric_find(const char *name)
{
	for (size_t i = 0; i < KYMO_METRIC_COUNT; i++) {
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	}
	for (size_t i = 0; i < named_count; i++) {
		if (strncmp(named[i].name, name, sizeof(named[i].name) - 1) == 0)
			return &named[i].info;
	}
	return NULL;
}
enum kymo_metric metric_clock_of(enum kymo_metric metric)
{
	switch (metric) {
	case KYMO_METRIC_CPU_UTIL:
		return KYMO_METRIC_CPU_CLOCK;
	case KYMO_METRIC_THREAD_CPU_UTIL:
		return KYMO_METRIC_THREAD_CPU_CLOCK;
	case KYMO_METRIC_PROCESS_CPU_UTIL:
		return KYMO_METRIC_PROCESS_CPU_CLOCK;
	default:
		return KYMO_METRIC_COUNT;
	}
}

/* Metrics besides the wall clock: selected once, read at every enter and leave of a
 * node.  Each reading costs a system call or more, which docs/overhead.md lists. */
#include "runtime/metricread.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>

#include "base/keeperrno.h"
#include "format/metric.h"
#include "platform/usage.h"
#include "runtime/counters.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/session.h"
#include "runtime/runtime.h"
#include "runtime/store/store.h"

#define NAME_BYTES 64

/* getrusage() of the calling thread or the process. */
static struct rusage resources(bool is_thread)
{
	struct rusage usage;

	memset(&usage, 0, sizeof(usage));
	getrusage(is_thread ? RUSAGE_THREAD : RUSAGE_SELF, &usage);
	return usage;
}

static uint64_t metricread_timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

static uint64_t read_resource(enum kymo_metric metric)
{
	struct rusage usage = resources(metric_info(metric)->is_per_thread);

	switch (metric) {
	case KYMO_METRIC_USER_CLOCK:
	case KYMO_METRIC_USER_MODE_TIME:
		return metricread_timeval_ns(usage.ru_utime);
	case KYMO_METRIC_SYSTEM_CLOCK:
	case KYMO_METRIC_KERNEL_MODE_TIME:
		return metricread_timeval_ns(usage.ru_stime);
	case KYMO_METRIC_CPU_CLOCK:
		return metricread_timeval_ns(usage.ru_utime) +
		       metricread_timeval_ns(usage.ru_stime);
	case KYMO_METRIC_PEAK_RSS:
	case KYMO_METRIC_CURRENT_PEAK_RSS:
		return (uint64_t)usage.ru_maxrss * 1024;
	case KYMO_METRIC_NUM_MAJOR_PAGE_FAULTS:
		return (uint64_t)usage.ru_majflt;
	case KYMO_METRIC_NUM_MINOR_PAGE_FAULTS:
		return (uint64_t)usage.ru_minflt;
	case KYMO_METRIC_VOLUNTARY_CONTEXT_SWITCH:
		return (uint64_t)usage.ru_nvcsw;
	case KYMO_METRIC_PRIORITY_CONTEXT_SWITCH:
		return (uint64_t)usage.ru_nivcsw;
	case KYMO_METRIC_NUM_IO_IN:
		return (uint64_t)usage.ru_inblock;
	case KYMO_METRIC_NUM_IO_OUT:
		return (uint64_t)usage.ru_oublock;
	default:
		return 0;
	}
}

static uint64_t read_metric(enum kymo_metric metric)
{
	switch (metric) {
	case KYMO_METRIC_THREAD_CPU_CLOCK:
		return usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	case KYMO_METRIC_PROCESS_CPU_CLOCK:
		return usage_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	case KYMO_METRIC_MONOTONIC_CLOCK:
		return usage_clock_ns(CLOCK_MONOTONIC);
	case KYMO_METRIC_MONOTONIC_RAW_CLOCK:
		return usage_clock_ns(CLOCK_MONOTONIC_RAW);
	case KYMO_METRIC_PAGE_RSS:
		return usage_memory_bytes(USAGE_RESIDENT_BYTES);
	case KYMO_METRIC_VIRTUAL_MEMORY:
		return usage_memory_bytes(USAGE_VIRTUAL_BYTES);
	case KYMO_METRIC_READ_CHAR:
		return usage_io_bytes(USAGE_READ_CHAR);
	case KYMO_METRIC_WRITTEN_CHAR:
		return usage_io_bytes(USAGE_WRITTEN_CHAR);
	case KYMO_METRIC_READ_BYTES:
		return usage_io_bytes(USAGE_READ_BYTES);
	case KYMO_METRIC_WRITTEN_BYTES:
		return usage_io_bytes(USAGE_WRITTEN_BYTES);
	default:
		return read_resource(metric);
	}
}

/* What must be measured for a derived metric. */
static enum kymo_metric measured_for(enum kymo_metric metric)
{
	enum kymo_metric clock = metric_clock_of(metric);

	return clock == KYMO_METRIC_COUNT ? metric : clock;
}

static uint32_t metricread_add_metric(enum kymo_metric metric, uint32_t *metrics, uint32_t count)
{
	if (metric == KYMO_METRIC_WALL_CLOCK || metric == KYMO_METRIC_TRIP_COUNT)
		return count;
	for (uint32_t i = 0; i < count; i++)
		if (metrics[i] == (uint32_t)metric)
			return count;
	if (count < KYMO_METRICS_MAX)
		metrics[count++] = (uint32_t)metric;
	return count;
}

uint32_t metrics_select(const char *components, uint32_t *metrics, char *unknown, size_t size)
{
	uint32_t count = 0;

	if (size)
		unknown[0] = '\0';
	for (const char *at = components; *at;) {
		size_t length = strcspn(at, ", ;\t");
		char name[NAME_BYTES];
		const struct metric_info *info;

		if (length > 0 && length < sizeof(name)) {
			memcpy(name, at, length);
			name[length] = '\0';
			info = metric_find(name);
			if (info)
				count = metricread_add_metric(measured_for(info->metric), metrics,
							      count);
			else if (size)
				strncpy(unknown, name, size - 1)[size - 1] = '\0';
		}
		at += length;
		at += strspn(at, ", ;\t");
	}
	return count;
}

/* Current values of all metrics of the run, its counters read at once. */
static void read_metrics(uint64_t now[KYMO_METRICS_MAX])
{
	uint64_t counters[KYMO_COUNTERS_MAX];

	if (counters_are_on())
		counters_read(counters);
	for (uint32_t i = 0; i < store.header->metric_count; i++) {
		uint32_t metric = store.header->metrics[i];

		now[i] = metric >= KYMO_METRIC_NAMED ? counters[metric - KYMO_METRIC_NAMED]
						     : read_metric((enum kymo_metric)metric);
	}
}

/* Levels that may fall (resident memory) give negative differences, as they should. */
static void close_metric(struct kymo_node_metric *metric, enum kymo_metric kind, uint64_t now)
{
	double value = metric_info(kind)->is_accumulated ? (double)(int64_t)(now - metric->enter)
							 : (double)now;

	metric->count++;
	metric->sum = metric_info(kind)->is_accumulated ? metric->sum + value : value;
	if (value < metric->min)
		metric->min = value;
	if (value > metric->max)
		metric->max = value;
	metric->sum_squares += value * value;
}

/* The metrics of a node, each begun or closed. */
static void metricread_mark(struct kymo_node *node, bool is_end)
{
	struct kymo_node_metric *metric = (struct kymo_node_metric *)(node + 1);
	uint64_t now[KYMO_METRICS_MAX];

	read_metrics(now);
	for (uint32_t i = 0; i < store.header->metric_count; i++) {
		if (is_end)
			close_metric(&metric[i], (enum kymo_metric)store.header->metrics[i],
				     now[i]);
		else
			metric[i].enter = now[i];
	}
}

void kymo_callpath_metrics_enter(struct kymo_thread *thread, struct kymo_node *node)
{
	KEEP_ERRNO();

	(void)thread;
	metricread_mark(node, false);
}

void kymo_callpath_metrics_exit(struct kymo_thread *thread, struct kymo_node *node)
{
	KEEP_ERRNO();

	(void)thread;
	metricread_mark(node, true);
}

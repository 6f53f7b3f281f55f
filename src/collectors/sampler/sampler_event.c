/* Events of the kernel and the processor that send a signal when they overflow.
 *
 * Each is armed for one overflow and armed again by the handler: signals never pile up, and
 * what the handler itself does is not counted.  The descriptor lies above those that programs
 * expect to get. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/sampler/sampler.h"

#define DESCRIPTOR_HIGH 4096u /* where there can be as many */

#define CACHE(level, operation, result)                                                            \
	(PERF_COUNT_HW_CACHE_##level | PERF_COUNT_HW_CACHE_OP_##operation << 8 |                   \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static const struct {
	const char *name; /* without "perf::" and "PERF_COUNT_" */
	uint32_t type;
	uint64_t config;
} events[] = {
	{"SW_CPU_CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"SW_TASK_CLOCK", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"SW_PAGE_FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"SW_PAGE_FAULTS_MIN", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"SW_PAGE_FAULTS_MAJ", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"SW_CONTEXT_SWITCHES", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"SW_CPU_MIGRATIONS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"SW_ALIGNMENT_FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"SW_EMULATION_FAULTS", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	{"HW_CPU_CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"HW_INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"HW_CACHE_REFERENCES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"HW_CACHE_MISSES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"HW_BRANCH_INSTRUCTIONS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"HW_BRANCH_MISSES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"HW_BUS_CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"HW_STALLED_CYCLES_FRONTEND", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"HW_STALLED_CYCLES_BACKEND", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"HW_REF_CPU_CYCLES", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	/* The usual names of the same, and of caches. */
	{"PAPI_TOT_CYC", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"PAPI_TOT_INS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"PAPI_REF_CYC", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"PAPI_BR_INS", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"PAPI_BR_MSP", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"PAPI_L3_TCA", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"PAPI_L3_TCM", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"PAPI_L1_DCM", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS)},
	{"PAPI_L1_ICM", PERF_TYPE_HW_CACHE, CACHE(L1I, READ, MISS)},
	{"PAPI_TLB_DM", PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS)},
	{"PAPI_TLB_IM", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS)},
};

static const char *without(const char *name, const char *prefix)
{
	return strncasecmp(name, prefix, strlen(prefix)) ? name : name + strlen(prefix);
}

bool sampler_event_find(const char *name, struct sampler_event *out)
{
	const char *bare = without(without(name, "perf::"), "PERF_COUNT_");

	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strcasecmp(bare, events[i].name) != 0)
			continue;
		out->type = events[i].type;
		out->config = events[i].config;
		return true;
	}
	return false;
}

static int open_event(const struct sampler_event *event, uint64_t period, bool is_user_only)
{
	struct perf_event_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = event->type;
	attributes.config = event->config;
	attributes.sample_period = period;
	attributes.wakeup_events = 1;
	attributes.disabled = 1;
	attributes.exclude_kernel = is_user_only;
	attributes.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Without the right to see what the kernel does, what the program does can be seen. */
static int open_allowed(const struct sampler_event *event, uint64_t period, bool *sees_kernel_out)
{
	int descriptor = open_event(event, period, false);

	*sees_kernel_out = descriptor >= 0;
	if (descriptor < 0 && (errno == EACCES || errno == EPERM))
		descriptor = open_event(event, period, true);
	return descriptor;
}

bool sampler_event_probe(const struct sampler_event *event, bool *sees_kernel_out)
{
	int descriptor = open_allowed(event, 1u << 30, sees_kernel_out);

	if (descriptor < 0)
		return false;
	close(descriptor);
	return true;
}

/* The program opens files by the lowest number there is. */
static int move_up(int descriptor)
{
	struct rlimit limit;
	int high = DESCRIPTOR_HIGH, moved;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 2 * DESCRIPTOR_HIGH)
		high = (int)(limit.rlim_cur / 2);
	moved = fcntl(descriptor, F_DUPFD_CLOEXEC, high);
	if (moved < 0)
		return descriptor;
	close(descriptor);
	return moved;
}

int sampler_event_open(const struct sampler_kind *kind, uint64_t period)
{
	struct f_owner_ex owner = {F_OWNER_TID, (pid_t)syscall(SYS_gettid)};
	bool sees_kernel;
	int descriptor = open_allowed(&kind->event, period, &sees_kernel);

	if (descriptor < 0)
		return -1;
	descriptor = move_up(descriptor);
	if (fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_ASYNC) == 0 &&
	    fcntl(descriptor, F_SETSIG, kind->signal) == 0 &&
	    fcntl(descriptor, F_SETOWN_EX, &owner) == 0)
		return descriptor;
	close(descriptor);
	return -1;
}

void sampler_event_rearm(int descriptor, uint64_t period)
{
	if (period)
		ioctl(descriptor, PERF_EVENT_IOC_PERIOD, &period);
	ioctl(descriptor, PERF_EVENT_IOC_REFRESH, 1);
}

void sampler_event_stop(int descriptor)
{
	ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0);
}

uint64_t sampler_event_count(int descriptor)
{
	uint64_t count = 0;

	return read(descriptor, &count, sizeof(count)) == (ssize_t)sizeof(count) ? count : 0;
}

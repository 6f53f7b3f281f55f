/* Events of the kernel and the processor that send a signal when they overflow.
 *
 * Each is armed for one overflow and armed again by the handler: signals never accumulate, and
 * what the handler itself does is not counted.  The descriptor is above the numbers that
 * programs expect to get. */
#include "collectors/sampler/sampler_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_state.h"
#include "platform/perfevents.h"

#define DESCRIPTOR_HIGH 4096u /* if the limit allows */

bool sampler_event_find(const char *name, struct sampler_event *out)
{
	const struct perfevent *event = perfevent_find(name);

	if (!event)
		return false;
	out->type = event->type;
	out->config = event->config;
	return true;
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

/* Without the right to count in the kernel, count in user space. */
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

/* The program gets the lowest free descriptors.  -1: the remaining ones are left to it. */
static int event_move_up(int descriptor)
{
	struct rlimit limit;
	int high = DESCRIPTOR_HIGH, moved;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 2 * DESCRIPTOR_HIGH)
		high = (int)(limit.rlim_cur / 2);
	moved = fcntl(descriptor, F_DUPFD_CLOEXEC, high);
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
	descriptor = event_move_up(descriptor);
	if (descriptor < 0)
		return -1;
	if ((sees_kernel || !kind->is_time) &&
	    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_ASYNC) == 0 &&
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

uint64_t sampler_event_id(int descriptor)
{
	uint64_t id = 0;

	return ioctl(descriptor, PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
}

bool sampler_event_is_open(const struct sampler_timer *timer)
{
	return timer->id >= 0 && timer->event_id && sampler_event_id(timer->id) == timer->event_id;
}

void sampler_event_close(const struct sampler_timer *timer)
{
	if (sampler_event_is_open(timer))
		close(timer->id);
}

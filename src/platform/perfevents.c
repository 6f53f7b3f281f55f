/* perf_event_open(2). */
#include "platform/perfevents.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

const struct perfevent perfevent_table[] = {
#define PERFEVENT(name, papi, type, config, text) {name, papi, type, config, text},
#include "platform/perfevents.def"
#undef PERFEVENT
};
const size_t perfevent_count = sizeof(perfevent_table) / sizeof(*perfevent_table);

static const char *without(const char *name, const char *prefix)
{
	return strncasecmp(name, prefix, strlen(prefix)) ? name : name + strlen(prefix);
}

const struct perfevent *perfevent_find(const char *name)
{
	const char *bare = without(without(without(name, "perf"), "::"), "PERF_COUNT_");

	for (size_t i = 0; i < perfevent_count; i++) {
		const struct perfevent *event = &perfevent_table[i];

		if (!strcasecmp(bare, without(event->name, "PERF_COUNT_")) ||
		    (event->papi && !strcasecmp(name, event->papi)))
			return event;
	}
	return NULL;
}

static int open_as(const struct perfevent *event, pid_t thread, int group, bool is_grouped,
		   bool is_user_only)
{
	struct perf_event_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = event->type;
	attributes.config = event->config;
	attributes.read_format = TIMES | (is_grouped ? PERF_FORMAT_GROUP : 0);
	attributes.exclude_kernel = is_user_only;
	attributes.exclude_hv = 1;
	return (int)syscall(SYS_perf_event_open, &attributes, thread, -1, group,
			    PERF_FLAG_FD_CLOEXEC);
}

int perfevent_open(const struct perfevent *event, pid_t thread, int group, bool is_grouped)
{
	int fd = open_as(event, thread, group, is_grouped, false);

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		fd = open_as(event, thread, group, is_grouped, true);
	return fd;
}

const char *perfevent_reason(int error, char *buffer, size_t size)
{
	switch (error) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return "this processor, or the virtual machine, does not count it";
	case EACCES:
	case EPERM:
		return "not allowed: lower kernel.perf_event_paranoid, or give CAP_PERFMON; in a "
		       "container allow the call perf_event_open";
	case ENOSYS:
		return "the kernel has no perf events";
	case EMFILE:
		return "too many files are open";
	default:
		snprintf(buffer, size, "error %d of perf_event_open", error);
		return buffer;
	}
}

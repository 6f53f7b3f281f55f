/* The counters of one thread: opened at its first region, read by one system call unless they
 * are multiplexed.  A reading that fails repeats the previous one, so that the interval counts
 * as 0. */
#include "collectors/counters/counters_set.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/spin.h"
#include "collectors/counters/counters_choose.h"
#include "platform/papi.h"
#include "runtime/store/note.h"

#define DESCRIPTOR_HIGH 4096 /* above the numbers that programs expect to get */
#define SLAB_BYTES	(64u << 10)
#define GROUP_HEAD	3u /* number, time enabled, time running */
#define PERF_LINK	"anon_inode:[perf_event]"

struct set {
	struct set *next;
	bool is_ready;
	int fds[KYMO_COUNTERS_MAX]; /* -1 = none; in the group of the first, or alone */
	int papi;		    /* PAPI event set, or -1 */
	int leader;
	uint64_t last[KYMO_COUNTERS_MAX];
};

static __thread struct set *own __attribute__((tls_model("initial-exec")));
static __thread char token __attribute__((tls_model("initial-exec")));
static struct spin lock; /* guards the lists, and PAPI */
static struct set *sets, *unused;
static bool has_papi;			  /* PAPI counts in this process, or did in its parent */
static bool is_child;			  /* of a fork: PAPI counts the parent */
static double enabled_time, running_time; /* of multiplexed counters; estimates */

static int set_move_up(int fd)
{
	struct rlimit limit;
	int high = DESCRIPTOR_HIGH, moved;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 2 * DESCRIPTOR_HIGH)
		high = (int)(limit.rlim_cur / 2);
	moved = fcntl(fd, F_DUPFD_CLOEXEC, high);
	if (moved < 0)
		return fd;
	close(fd);
	return moved;
}

/* From a slab that is never freed: threads are started and end.  The lock is held. */
static struct set *set_new(void)
{
	struct set *set = unused;

	if (!set) {
		set = pages_new(SLAB_BYTES);
		if (!set)
			return NULL;
		for (size_t i = 0; i < SLAB_BYTES / sizeof(*set) - 1; i++)
			set[i].next = &set[i + 1];
	}
	unused = set->next;
	memset(set, 0, sizeof(*set));
	for (unsigned i = 0; i < KYMO_COUNTERS_MAX; i++)
		set->fds[i] = -1;
	set->papi = set->leader = -1;
	set->next = sets;
	sets = set;
	return set;
}

/* Reading a group does not always update the clocks in it. */
static bool set_is_alone(const struct perfevent *event)
{
	return counters_are_multiplexed ||
	       (event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						      event->config == PERF_COUNT_SW_TASK_CLOCK));
}

static void open_kernel(struct set *set)
{
	char buffer[64];

	for (unsigned i = 0; i < counter_count; i++) {
		const struct perfevent *event = counters[i].event;
		int group = event && !set_is_alone(event) ? set->leader : -1;
		int fd;

		if (!event)
			continue;
		fd = perfevent_open(event, 0, group, !set_is_alone(event));
		if (fd < 0) {
			kymo_note_add(KYMO_NOTE_LOSS, "counters",
				      errno == EINVAL && group >= 0
					      ? "not all counters fit at the same time: "
						"KYMO_PAPI_MULTIPLEXING=ON multiplexes them"
					      : perfevent_reason(errno, buffer, sizeof(buffer)));
			continue;
		}
		set->fds[i] = set_move_up(fd);
		if (set->leader < 0 && !set_is_alone(event))
			set->leader = set->fds[i];
	}
}

/* PAPI's descriptors would be inherited by executed programs. */
static void close_at_exec(void)
{
	DIR *folder = opendir("/proc/self/fd");
	const struct dirent *entry;
	char link[64];

	while (folder && (entry = readdir(folder))) {
		ssize_t length = readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);

		link[length > 0 ? length : 0] = '\0';
		if (!strcmp(link, PERF_LINK))
			fcntl(atoi(entry->d_name), F_SETFD, FD_CLOEXEC);
	}
	if (folder)
		closedir(folder);
}

static void open_papi(struct set *set)
{
	const char *names[KYMO_COUNTERS_MAX];
	struct papi_failure failure;
	char line[256];
	unsigned count = 0;

	for (unsigned i = 0; i < counter_count; i++)
		if (!counters[i].event)
			names[count++] = counters[i].name;
	if (count == 0 || is_child)
		return;
	has_papi = true;
	set->papi = papi_start(names, count, counters_are_multiplexed, &failure);
	if (set->papi >= 0) {
		close_at_exec();
		return;
	}
	snprintf(line, sizeof(line), "PAPI cannot count %s with the others: %s",
		 names[failure.event], failure.why);
	kymo_note_add(KYMO_NOTE_LOSS, "counters", line);
}

/* A signal handler that interrupts this finds counters that are not ready, and reads zeros. */
static void set_begin(void)
{
	int cancel_state;

	if (!spin_acquire(&lock, (uintptr_t)&token))
		return;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	own = set_new();
	if (own) {
		open_kernel(own);
		open_papi(own);
		own->is_ready = true;
	}
	pthread_setcancelstate(cancel_state, NULL);
	spin_release(&lock);
}

static void close_kernel(struct set *set)
{
	for (unsigned i = 0; i < KYMO_COUNTERS_MAX; i++)
		if (set->fds[i] >= 0)
			close(set->fds[i]);
}

static void set_release(struct set *set)
{
	struct set **link = &sets;

	close_kernel(set);
	while (*link && *link != set)
		link = &(*link)->next;
	if (*link)
		*link = set->next;
	set->next = unused;
	unused = set;
}

void counters_set_end(void)
{
	if (!own || !spin_acquire(&lock, (uintptr_t)&token))
		return;
	own->is_ready = false;
	if (own->papi >= 0)
		papi_stop(own->papi);
	set_release(own);
	own = NULL;
	spin_release(&lock);
}

/* Descriptors opened before count the parent's threads; closing the copies does not affect them. */
void counters_set_forked(void)
{
	spin_release(&lock);
	while (sets)
		set_release(sets);
	own = NULL;
	if (has_papi && !is_child)
		counters_note_loss("what only PAPI counts",
				   "it cannot be restarted in a forked process");
	is_child = true;
	enabled_time = running_time = 0;
}

static void read_group(struct set *set)
{
	uint64_t words[GROUP_HEAD + KYMO_COUNTERS_MAX];
	ssize_t length = read(set->leader, words, sizeof(words));
	unsigned at = GROUP_HEAD;

	if (length < (ssize_t)(GROUP_HEAD * sizeof(*words)))
		return;
	for (unsigned i = 0; i < counter_count; i++)
		if (set->fds[i] >= 0 && !set_is_alone(counters[i].event) &&
		    at < GROUP_HEAD + words[0])
			set->last[i] = words[at++];
}

/* A multiplexed counter is scaled from the time it ran to all of the time. */
static void read_alone(struct set *set)
{
	uint64_t words[GROUP_HEAD]; /* count, time enabled, time running */

	for (unsigned i = 0; i < counter_count; i++) {
		if (set->fds[i] < 0 || !set_is_alone(counters[i].event) ||
		    read(set->fds[i], words, sizeof(words)) != (ssize_t)sizeof(words))
			continue;
		enabled_time += (double)words[1];
		running_time += (double)words[2];
		if (words[2] > 0 && words[2] < words[1])
			words[0] =
				(uint64_t)((double)words[0] * (double)words[1] / (double)words[2]);
		set->last[i] = words[0];
	}
}

static void read_papi(struct set *set)
{
	long long found[KYMO_COUNTERS_MAX];
	unsigned at = 0;

	if (!papi_read(set->papi, found))
		return;
	for (unsigned i = 0; i < counter_count; i++)
		if (!counters[i].event)
			set->last[i] = (uint64_t)found[at++];
}

void counters_set_read(uint64_t *values)
{
	if (!own)
		set_begin();
	if (!own || !own->is_ready) {
		memset(values, 0, counter_count * sizeof(*values));
		return;
	}
	if (own->leader >= 0)
		read_group(own);
	read_alone(own);
	if (own->papi >= 0)
		read_papi(own);
	memcpy(values, own->last, counter_count * sizeof(*values));
}

double counters_running_percent(void)
{
	return enabled_time > 0 ? 100 * running_time / enabled_time : 100;
}

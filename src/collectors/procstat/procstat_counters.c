/* The counters of PAPI_EVENTS that the kernel counts by itself, for each thread over time.
 * Serves procstat.h. */
#include "collectors/procstat/procstat.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"
#include "platform/perfevents.h"
#include "runtime/threads/helper.h"

#define EVENTS_MAX  8u
#define THREADS_MAX 64u
#define NAME_BYTES  64u

struct row { /* of one thread */
	uint32_t number;
	uint64_t system_id; /* 0 = free */
	bool is_seen;
	int fds[EVENTS_MAX];
	struct procstat_series series[EVENTS_MAX];
};

static char names[EVENTS_MAX][NAME_BYTES];
static const struct perfevent *events[EVENTS_MAX];
static unsigned event_count;
static struct row rows[THREADS_MAX];
static char reason[64];

void procstat_counters_choose(const char *list)
{
	static const char separators[] = " ,;\t\n";
	size_t length;

	for (event_count = 0; *(list += strspn(list, separators)); list += length) {
		length = strcspn(list, separators);
		if (length >= NAME_BYTES || event_count == EVENTS_MAX)
			continue;
		memcpy(names[event_count], list, length);
		names[event_count][length] = '\0';
		events[event_count] = perfevent_find(names[event_count]);
		event_count += events[event_count] != NULL;
	}
}

static void counters_release(struct row *row)
{
	for (unsigned i = 0; i < event_count; i++)
		if (row->fds[i] >= 0)
			close(row->fds[i]);
	row->system_id = 0;
}

static void counters_begin(struct row *row, const struct kymo_helper_thread *thread)
{
	*row = (struct row){.number = thread->number, .system_id = thread->system_id};
	for (unsigned i = 0; i < event_count; i++) {
		row->fds[i] = perfevent_open(events[i], (pid_t)thread->system_id, -1, false);
		if (row->fds[i] >= 0)
			procstat_series_define_thread(&row->series[i], thread->number, "",
						      "Thread %s [%u] (S)", names[i],
						      thread->number);
	}
}

static struct row *counters_row_of(const struct kymo_helper_thread *thread)
{
	struct row *unused = NULL;

	for (size_t i = 0; i < THREADS_MAX; i++) {
		if (rows[i].system_id && rows[i].number == thread->number)
			return &rows[i];
		if (!rows[i].system_id && !unused)
			unused = &rows[i];
	}
	if (unused)
		counters_begin(unused, thread);
	return unused;
}

/* Count, time enabled, time running: a multiplexed event is scaled to the whole time. */
static void read_row(struct row *row)
{
	uint64_t words[3];

	for (unsigned i = 0; i < event_count; i++) {
		double value;

		if (row->fds[i] < 0 ||
		    read(row->fds[i], words, sizeof(words)) != (ssize_t)sizeof(words))
			continue;
		value = (double)words[0];
		if (words[2] > 0 && words[2] < words[1])
			value *= (double)words[1] / (double)words[2];
		procstat_put(&row->series[i], value);
	}
}

/* Those of an ended thread are read a last time. */
static void read_counters(void)
{
	struct kymo_helper_thread threads[THREADS_MAX];
	size_t count = kymo_helper_threads(threads, THREADS_MAX, 0);

	for (size_t i = 0; i < THREADS_MAX; i++)
		rows[i].is_seen = false;
	for (size_t i = 0; i < count; i++) {
		struct row *row = counters_row_of(&threads[i]);

		if (row)
			row->is_seen = true;
	}
	for (size_t i = 0; i < THREADS_MAX; i++) {
		if (!rows[i].system_id)
			continue;
		read_row(&rows[i]);
		if (!rows[i].is_seen)
			counters_release(&rows[i]);
	}
}

static bool open_counters(const char **why_out)
{
	int fd = event_count ? perfevent_open(events[0], 0, -1, false) : -1;

	memset(rows, 0, sizeof(rows));
	*why_out = event_count ? perfevent_reason(errno, reason, sizeof(reason)) : NULL;
	if (fd >= 0)
		close(fd);
	if (fd >= 0 && !procstat_files_are_kept()) {
		*why_out = "the reading thread has no descriptors of its own";
		return false;
	}
	return fd >= 0;
}

const struct procstat_source procstat_counters = {"counters over time", false, 0, open_counters,
						  read_counters};

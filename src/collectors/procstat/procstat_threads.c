/* Each thread's CPU time, context switches and page faults.
 *
 * The CPU time is read from the thread's clock; the rest is in files that cost more: with many
 * threads these are read in rotation.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"

#include <time.h>

#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"
#include "platform/systemclock.h"
#include "runtime/threads/helper.h"

#define THREADS_MAX  256u
#define THREADS_ONCE 64u /* read at a time */
#define FILES_ONCE   4u
#define NUMBER_MAX   4096u
#define FIELD_MINFLT 10 /* of /proc/self/task/T/stat, counted from 1 */
#define FIELD_MAJFLT 12
#define NAME_FIELDS  2 /* the second ends with the last parenthesis */

struct row { /* of one thread; searched from the index given by its number in the recording */
	uint32_t number;
	uint64_t system_id; /* 0 = free */
	struct procstat_series time, switches, faults;
	struct procstat_file switches_file, faults_file;
	bool has_files;
};

static struct row rows[THREADS_MAX];
static size_t next_thread, next_row;
static bool is_full;

/* The clock of another thread's CPU time, as the kernel encodes it. */
static bool cpu_time(uint64_t system_id, double *seconds_out)
{
	struct timespec time;

	if (!systemclock_read((clockid_t)(~(unsigned)system_id << 3 | 6), &time))
		return false;
	*seconds_out = (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
	return true;
}

static void threads_row_release(struct row *row)
{
	if (row->has_files) {
		procstat_file_close(&row->switches_file);
		procstat_file_close(&row->faults_file);
	}
	row->system_id = 0;
	is_full = false;
}

static void row_begin(struct row *row, const struct kymo_helper_thread *thread)
{
	*row = (struct row){.number = thread->number, .system_id = thread->system_id};
	procstat_series_define_thread(&row->time, thread->number, "sec", "Thread CPU time [%u] (S)",
				      thread->number);
}

/* The thread's row, or a new one.  Released rows leave holes, so all rows of the probe sequence
 * have to be checked. */
static struct row *threads_row_of(const struct kymo_helper_thread *thread)
{
	struct row *unused = NULL;

	for (size_t i = 0; i < THREADS_MAX; i++) {
		struct row *row = &rows[(thread->number + i) % THREADS_MAX];

		if (row->system_id && row->number == thread->number)
			return row;
		if (!row->system_id && !unused)
			unused = row;
	}
	if (unused)
		row_begin(unused, thread);
	return unused;
}

static void threads_read_times(void)
{
	struct kymo_helper_thread threads[THREADS_ONCE];
	size_t count = kymo_helper_threads(threads, THREADS_ONCE, next_thread);
	double seconds;

	for (size_t i = 0; i < count && !is_full; i++) {
		struct row *row = threads_row_of(&threads[i]);

		if (!row)
			is_full = true;
		else if (cpu_time(row->system_id, &seconds))
			procstat_put(&row->time, seconds);
	}
	next_thread = count == THREADS_ONCE ? next_thread + count : 0;
}

static void threads_open_files(struct row *row)
{
	row->has_files = true;
	if (procstat_file_open(&row->switches_file, "proc/self/task/%u/status",
			       (unsigned)row->system_id))
		procstat_series_define_thread(&row->switches, row->number, "",
					      "Thread Context Switches [%u] (S)", row->number);
	if (procstat_file_open(&row->faults_file, "proc/self/task/%u/stat",
			       (unsigned)row->system_id))
		procstat_series_define_thread(&row->faults, row->number, "",
					      "Thread Page Faults [%u] (S)", row->number);
}

static bool read_switches(struct row *row)
{
	struct scan scan = procstat_file_read(&row->switches_file);
	uint64_t waiting, forced;

	if (!scan_find(&scan, "\nvoluntary_ctxt_switches:") || !scan_number(&scan, &waiting) ||
	    !scan_find(&scan, "\nnonvoluntary_ctxt_switches:") || !scan_number(&scan, &forced))
		return false;
	procstat_put(&row->switches, (double)(waiting + forced));
	return true;
}

/* A thread's name may contain any character, including a closing parenthesis. */
static void read_faults(struct row *row)
{
	struct scan scan = procstat_file_read(&row->faults_file);
	uint64_t minor, major;

	while (scan_find(&scan, ") "))
		continue;
	scan_skip(&scan, FIELD_MINFLT - NAME_FIELDS - 1);
	if (!scan_number(&scan, &minor))
		return;
	scan_skip(&scan, FIELD_MAJFLT - FIELD_MINFLT - 1);
	if (scan_number(&scan, &major))
		procstat_put(&row->faults, (double)(minor + major));
}

static void threads_read_files(struct row *row)
{
	if (!row->has_files)
		threads_open_files(row);
	if (row->switches.id && !read_switches(row)) /* it has ended */
		threads_row_release(row);
	else if (row->faults.id)
		read_faults(row);
}

static void read_some_files(void)
{
	unsigned count = 0;

	for (size_t i = 0; i < THREADS_MAX && count < FILES_ONCE; i++) {
		struct row *row = &rows[next_row++ % THREADS_MAX];

		if (row->system_id == 0)
			continue;
		threads_read_files(row);
		count++;
	}
}

static bool open_threads(const char **why_out)
{
	*why_out = "";
	for (size_t i = 0; i < THREADS_MAX; i++)
		rows[i].system_id = 0;
	next_thread = next_row = 0;
	is_full = false;
	return true;
}

static void threads_read(void)
{
	threads_read_times();
	read_some_files();
}

const struct procstat_source procstat_threads = {"the threads", false, 0, open_threads,
						 threads_read};

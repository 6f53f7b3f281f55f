/* How many files the process has open, and how many threads it has.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define FILES_FOLDER   "proc/self/fd"
#define THREADS_FOLDER "proc/self/task"
#define OUR_THREADS    1 /* the reading thread */

static struct procstat_series files, threads;

static bool files_open(const char **why_out)
{
	uint64_t entries, links;

	*why_out = "/proc/self/fd cannot be read";
	procstat_folder_counts(FILES_FOLDER, &entries, &links);
	if (links == 0)
		return false;
	procstat_series_define(&files, "", "Open Files (S)");
	procstat_series_define(&threads, "", "Threads (S)");
	return true;
}

/* Two of a directory's links are its own, the others those of the threads in it. */
static void files_read(void)
{
	uint64_t entries, links;

	procstat_folder_counts(FILES_FOLDER, &entries, &links);
	if (links > 0)
		procstat_put(&files, (double)entries);
	procstat_folder_counts(THREADS_FOLDER, &entries, &links);
	if (links > 2 + OUR_THREADS)
		procstat_put(&threads, (double)(links - 2 - OUR_THREADS));
}

const struct procstat_source procstat_files = {"the open files", false, 10, files_open, files_read};

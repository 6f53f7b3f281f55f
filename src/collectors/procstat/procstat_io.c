/* What the process reads and writes: by calls, and from and to storage.  Serves procstat.h. */
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define READ_BYTES 0 /* rows that include what this thread reads */
#define READ_CALLS 2

static struct procstat_file file;

static struct {
	const char *key, *unit, *name;
	double scale;
	struct procstat_series series;
} rows[] = {
	{"rchar:", "MB", "I/O Read (S)", 1e-6, {0}},
	{"wchar:", "MB", "I/O Written (S)", 1e-6, {0}},
	{"syscr:", "", "I/O Read Calls (S)", 1, {0}},
	{"syscw:", "", "I/O Write Calls (S)", 1, {0}},
	{"read_bytes:", "MB", "Storage Read (S)", 1e-6, {0}},
	{"write_bytes:", "MB", "Storage Written (S)", 1e-6, {0}},
};

static bool open_io(const char **why_out)
{
	*why_out = "/proc/self/io cannot be read";
	if (!procstat_file_open(&file, "proc/self/io"))
		return false;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		procstat_series_define(&rows[i].series, rows[i].unit, "%s", rows[i].name);
	return true;
}

static void read_io(void)
{
	uint64_t value, bytes, calls;
	struct scan scan;

	procstat_files_own(&bytes,
			   &calls); /* except for this very call, which is not counted yet */
	scan = procstat_file_read(&file);
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t own = i == READ_BYTES ? bytes : i == READ_CALLS ? calls : 0;

		if (scan_literal(&scan, rows[i].key) && scan_number(&scan, &value))
			procstat_put(&rows[i].series,
				     (double)(value > own ? value - own : 0) * rows[i].scale);
		scan_line(&scan);
	}
}

const struct procstat_source procstat_io = {"the process's I/O", false, 0, open_io, read_io};

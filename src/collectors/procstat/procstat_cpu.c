/* The utilisation of each core: the share of time since the previous reading that was not idle.
 * Serves procstat.h. */
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_cores.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define FIELDS 8 /* user nice system idle iowait irq softirq steal */
#define IDLE   3
#define WAITS  4

struct core {
	uint64_t busy, all;
	struct procstat_series use;
};

static struct procstat_file file;
static struct core cores[PROCSTAT_CORES_MAX];
static struct core machine;

/* Reads what follows the name of a core. */
static bool cpu_read_times(struct scan *scan, uint64_t *busy_out, uint64_t *all_out)
{
	uint64_t value, busy = 0, all = 0;

	for (unsigned field = 0; field < FIELDS && scan_number(scan, &value); field++) {
		all += value;
		if (field != IDLE && field != WAITS)
			busy += value;
	}
	*busy_out = busy;
	*all_out = all;
	return all > 0;
}

/* The kernel's numbers may decrease slightly, and need not have changed. */
static void put_use(struct core *core, uint64_t busy, uint64_t all)
{
	if (core->use.id && all > core->all && core->all > 0 && busy >= core->busy)
		procstat_put(&core->use,
			     100.0 * (double)(busy - core->busy) / (double)(all - core->all));
	if (all > core->all) {
		core->busy = busy;
		core->all = all;
	}
}

static void each(bool is_first)
{
	struct scan scan = procstat_file_read(&file);
	uint64_t number, busy, all;

	while (scan_literal(&scan, "cpu")) {
		struct core *core = &machine;
		bool is_core = *scan.at != ' ' && scan_number(&scan, &number);

		if (is_core)
			core = number < PROCSTAT_CORES_MAX ? &cores[number] : NULL;
		if (core && is_first && !is_core)
			procstat_series_define(&core->use, "%", "CPU Use (S)");
		if (core && is_first && is_core && procstat_core_is_chosen((unsigned)number))
			procstat_series_define(&core->use, "%", "CPU Use [%u] (S)",
					       (unsigned)number);
		if (core && cpu_read_times(&scan, &busy, &all))
			put_use(core, busy, all);
		if (!scan_line(&scan))
			break;
	}
}

static bool open_cpu(const char **why_out)
{
	*why_out = "/proc/stat cannot be read";
	for (unsigned i = 0; i < PROCSTAT_CORES_MAX; i++)
		cores[i] = (struct core){0};
	machine = (struct core){0};
	if (!procstat_file_open(&file, "proc/stat"))
		return false;
	each(true);
	return machine.use.id != 0;
}

static void read_cpu(void)
{
	each(false);
}

/* The kernel counts in steps of ten milliseconds. */
const struct procstat_source procstat_cpu = {"the use of the cores", true, 10, open_cpu, read_cpu};

/* Series are kept as their last values; files are read as the collector reads them. */
#include "procstat_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collectors/procstat/procstat_file.c"
#include "collectors/procstat/procstat_series.h"

#define SERIES_MAX 256

static struct {
	char name[128], unit[16];
	double value;
} kept[SERIES_MAX];
static uint32_t kept_count;
static uint64_t now;
static char root[64], drawn[32768];

static void run(const char *format, const char *name)
{
	char command[512];

	snprintf(command, sizeof(command), format, name);
	if (system(command) != 0)
		abort();
}

void procstat_fixture_begin(void)
{
	snprintf(root, sizeof(root), "/tmp/kymo-procstat-XXXXXX");
	if (!mkdtemp(root))
		abort();
	kept_count = 0;
	now = 0;
	procstat_files_begin(root, false);
}

void procstat_fixture_end(void)
{
	run("rm -rf '%s'", root);
}

void procstat_fixture_write(const char *path, const char *content)
{
	char whole[256];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	run("mkdir -p \"$(dirname '%s')\"", whole);
	file = fopen(whole, "w");
	if (!file || fputs(content, file) < 0 || fclose(file) != 0)
		abort();
}

void procstat_fixture_now(uint64_t ns)
{
	now = ns;
}

const char *procstat_fixture_series(void)
{
	size_t used = 0;

	drawn[0] = '\0';
	for (uint32_t i = 0; i < kept_count; i++) {
		char value[32] = "-";

		if (!isnan(kept[i].value))
			snprintf(value, sizeof(value), "%.6g", kept[i].value);
		used += (size_t)snprintf(drawn + used, sizeof(drawn) - used, "%s %s %s\n",
					 kept[i].name, value, kept[i].unit);
	}
	return drawn;
}

uint64_t procstat_now_ns(void)
{
	return now;
}

void procstat_series_define(struct procstat_series *series, const char *unit, const char *format,
			    ...)
{
	va_list list;

	if (kept_count == SERIES_MAX)
		abort();
	va_start(list, format);
	vsnprintf(kept[kept_count].name, sizeof(kept[0].name), format, list);
	va_end(list);
	snprintf(kept[kept_count].unit, sizeof(kept[0].unit), "%s", unit);
	kept[kept_count].value = (double)NAN;
	*series = (struct procstat_series){.id = ++kept_count};
}

void procstat_put(struct procstat_series *series, double value)
{
	if (series->id)
		kept[series->id - 1].value = value;
}

double procstat_grown(struct procstat_growth *growth, uint64_t value)
{
	if (!growth->has_first)
		*growth = (struct procstat_growth){true, value};
	return (double)(int64_t)(value - growth->first);
}

/* Temperatures: from the sensors (hwmon) and, if there are none, from thermal zones.
 * Serves procstat.h. */
#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_series.h"

#define SENSORS_MAX 64u
#define INPUTS_MAX  32u /* of a chip; numbered from 1 */
#define NAME_BYTES  40u
#define MILLI	    1e-3

struct sensor {
	struct procstat_file file;
	struct procstat_series temperature;
};

static struct sensor sensors[SENSORS_MAX];
static unsigned count;

static void temperature_name_of(char *name_out, const char *path, const char *otherwise)
{
	struct procstat_file file;

	if (!procstat_file_open(&file, "%s", path) ||
	    !procstat_file_line(&file, name_out, NAME_BYTES))
		procstat_format(name_out, NAME_BYTES, "%s", otherwise);
	procstat_file_close(&file);
}

static void open_inputs(const char *chip, const char *chip_name)
{
	char path[PROCSTAT_PATH], label[NAME_BYTES], number[16];

	for (unsigned i = 1; i <= INPUTS_MAX && count < SENSORS_MAX; i++) {
		if (!procstat_file_open(&sensors[count].file, "sys/class/hwmon/%s/temp%u_input",
					chip, i))
			continue;
		procstat_format(path, sizeof(path), "sys/class/hwmon/%s/temp%u_label", chip, i);
		procstat_format(number, sizeof(number), "temp%u", i);
		temperature_name_of(label, path, number);
		procstat_series_define(&sensors[count++].temperature, "degC",
				       "Temperature %s %s (S)", chip_name, label);
	}
}

static bool open_chip(const char *folder, void *context)
{
	char path[PROCSTAT_PATH], name[NAME_BYTES];

	(void)context;
	procstat_format(path, sizeof(path), "sys/class/hwmon/%s/name", folder);
	temperature_name_of(name, path, folder);
	open_inputs(folder, name);
	return count < SENSORS_MAX;
}

static bool temperature_open_zone(const char *folder, void *context)
{
	char path[PROCSTAT_PATH], name[NAME_BYTES];

	(void)context;
	if (!procstat_file_open(&sensors[count].file, "sys/class/thermal/%s/temp", folder))
		return true;
	procstat_format(path, sizeof(path), "sys/class/thermal/%s/type", folder);
	temperature_name_of(name, path, folder);
	procstat_series_define(&sensors[count].temperature, "degC", "Temperature %s %s (S)", name,
			       folder);
	return ++count < SENSORS_MAX;
}

static bool open_temperature(const char **why_out)
{
	*why_out = "there is no sensor in /sys/class/hwmon, and no zone in /sys/class/thermal";
	count = 0;
	procstat_folder_walk("sys/class/hwmon", open_chip, NULL);
	if (count == 0)
		procstat_folder_walk("sys/class/thermal", temperature_open_zone, NULL);
	return count > 0;
}

static void read_temperature(void)
{
	for (unsigned i = 0; i < count; i++) {
		struct scan scan = procstat_file_read(&sensors[i].file);
		double value;

		if (scan_real(&scan, &value))
			procstat_put(&sensors[i].temperature, value * MILLI);
	}
}

const struct procstat_source procstat_temperature = {"the temperatures", true, 1, open_temperature,
						     read_temperature};

/* Temperatures of sensors, else of zones. */
#include "collectors/procstat/procstat_temperature.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "procstat_fixture.h"

static void test_sensors_by_chip_and_label(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	procstat_fixture_write("sys/class/thermal/thermal_zone0/temp", "1000\n");
	procstat_fixture_write("sys/class/hwmon/hwmon0/name", "coretemp\n");
	procstat_fixture_write("sys/class/hwmon/hwmon0/temp1_input", "45500\n");
	procstat_fixture_write("sys/class/hwmon/hwmon0/temp1_label", "Core 0\n");
	procstat_fixture_write("sys/class/hwmon/hwmon0/temp3_input", "-2000\n");
	assert_true(procstat_temperature.open(&why));
	procstat_temperature.read();
	assert_string_equal(procstat_fixture_series(), "Temperature coretemp Core 0 (S) 45.5 degC\n"
						       "Temperature coretemp temp3 (S) -2 degC\n");
	procstat_fixture_end();
}

static void test_zones_where_there_are_no_sensors(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	assert_false(procstat_temperature.open(&why));
	procstat_fixture_write("sys/class/hwmon/hwmon0/name", "empty\n");
	procstat_fixture_write("sys/class/thermal/cooling_device0/type", "Fan\n");
	procstat_fixture_write("sys/class/thermal/thermal_zone0/temp", "31000\n");
	procstat_fixture_write("sys/class/thermal/thermal_zone0/type", "acpitz\n");
	assert_true(procstat_temperature.open(&why));
	procstat_temperature.read();
	procstat_fixture_write("sys/class/thermal/thermal_zone0/temp",
			       "none\n"); /* keeps the last */
	procstat_temperature.read();
	assert_string_equal(procstat_fixture_series(),
			    "Temperature acpitz thermal_zone0 (S) 31 degC\n");
	procstat_fixture_end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sensors_by_chip_and_label),
		cmocka_unit_test(test_zones_where_there_are_no_sensors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A library for Python to call: names regions, calls back, switches recording. */
#include <kymo/kymo.h>

int outer(int (*callback)(int), int value);
int record(int is_on);

int outer(int (*callback)(int), int value)
{
	int result;

	kymo_region_begin("outer in C");
	KYMO_REGION_BEGIN("inner in C");
	result = callback(value);
	KYMO_REGION_END("inner in C");
	kymo_region_end("outer in C");
	return result;
}

int record(int is_on)
{
	return is_on ? kymo_start() : kymo_stop();
}

/* A library with regions, loaded and unloaded in a loop by hostile_plugins.c. */
#include <kymo/kymo.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int plugin_work(int number)
{
	KYMO_REGION_BEGIN("plugin, static name");
	kymo_region_begin("plugin, any name");
	pthread_mutex_lock(&lock);
	number++;
	pthread_mutex_unlock(&lock);
	kymo_region_end("plugin, any name");
	KYMO_REGION_END("plugin, static name");
	return number;
}

int plugin_open(int number)
{
	KYMO_REGION_BEGIN("plugin, left open");
	return number + 1;
}

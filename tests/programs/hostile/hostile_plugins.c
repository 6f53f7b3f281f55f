/* Loads and unloads libraries with regions, also below regions that stay open and in
 * several threads at once. */
#include <dlfcn.h>
#include <kymo/kymo.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS 100

static const char *path;

static int use(const char *name, int number)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*function)(int);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(9);
	}
	function = (int (*)(int))dlsym(library, name);
	number = function(number);
	dlclose(library);
	return number;
}

static void *loop(void *argument)
{
	long number = 0;

	for (int i = 0; i < ROUNDS; i++)
		number = use("plugin_work", (int)number);
	(void)argument;
	return (void *)number;
}

int main(int count, char **arguments)
{
	pthread_t threads[3];
	long number;

	if (count < 2)
		return 2;
	path = arguments[1];
	kymo_region_begin("main");
	number = (long)loop(NULL);
	for (int i = 0; i < 10; i++)
		number = use("plugin_open", (int)number);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, loop, NULL);
	for (int i = 0; i < 3; i++) {
		void *value;

		pthread_join(threads[i], &value);
		number += (long)value;
	}
	kymo_region_end("main");
	printf("%ld\n", number);
	return 5;
}

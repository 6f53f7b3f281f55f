/* A program that loads an interpreter when it has run for a while, and lets go of it again:
 * sampled_embed LIBPYTHON SECONDS. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile uint64_t sink;

__attribute__((noinline)) void without_python(double seconds)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 1000; i++)
			sink++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - begin.tv_sec) +
			 (double)(now.tv_nsec - begin.tv_nsec) * 1e-9 <
		 seconds);
}

__attribute__((noinline)) void with_python(void *library, const char *seconds)
{
	void (*initialize)(int) = (void (*)(int))dlsym(library, "Py_InitializeEx");
	int (*run)(const char *) = (int (*)(const char *))dlsym(library, "PyRun_SimpleString");
	int (*finalize)(void) = (int (*)(void))dlsym(library, "Py_FinalizeEx");
	char code[512];

	snprintf(code, sizeof(code),
		 "import time\n"
		 "def embedded():\n"
		 "    end = time.perf_counter() + %s\n"
		 "    while time.perf_counter() < end:\n"
		 "        sum(range(100))\n"
		 "embedded()\n",
		 seconds);
	initialize(0);
	if (run(code) != 0)
		exit(3);
	finalize();
	sink++;
}

int main(int argc, char **argv)
{
	double seconds = argc > 2 ? atof(argv[2]) : 0.2;
	void *library;

	without_python(seconds);
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		puts(dlerror());
		return 2;
	}
	with_python(library, argv[2]);
	dlclose(library);
	without_python(seconds);
	return 0;
}

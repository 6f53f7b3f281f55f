/* Libraries that come and go, with threads at work in them; who called, as backtrace() and
 * dladdr() say; and what the loader is asked meanwhile.  The libraries lie beside the program. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "functions_scene.h"

#define NOINLINE __attribute__((noinline))

static char folder[4096];

static NOINLINE uint64_t back(int depth, uint64_t value)
{
	return depth == 0 ? value : back(depth - 1, value * 7) ^ (uint64_t)depth;
}

static NOINLINE uint64_t use(const char *name, int depth)
{
	char path[5000];
	void *library;
	uint64_t (*work)(int, uint64_t), (*call)(uint64_t(*)(int, uint64_t), int), result;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	library = dlopen(path, depth % 2 ? RTLD_NOW : RTLD_LAZY);
	if (!library) {
		printf("%s\n", dlerror());
		return 0;
	}
	*(void **)&work = dlsym(library, "plugin_work");
	*(void **)&call = dlsym(library, "plugin_call");
	result = work(depth, (uint64_t)depth) + call(back, depth);
	dlclose(library);
	return result;
}

static void play_loads(void)
{
	for (int i = 0; i < 150; i++)
		mix(use(i % 3 ? "libone.so" : "libtwo.so", i % 15));
}

static void *loads(void *name)
{
	uint64_t sum = 0;

	for (int i = 0; i < 60; i++)
		sum += use(name, 4) != 0;
	return (void *)(uintptr_t)sum;
}

static void play_at_once(void)
{
	pthread_t threads[4];
	void *sum;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, loads, i % 2 ? "libone.so" : "libtwo.so");
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], &sum);
		mix((uintptr_t)sum);
	}
}

/* The innermost and the outermost: frames between may be of calls that trampolines do, which have
 * no names. */
static const char *const known[] = {"(who_called+", "/libc.so"};

NOINLINE void who_called(void)
{
	void *frames[64];
	int count = backtrace(frames, 64);
	char **names = backtrace_symbols(frames, count);

	for (int i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
			if (strstr(names[i], known[k]))
				mix(k);
	free(names);
}

NOINLINE uint64_t deeper_still(int depth)
{
	if (depth > 0)
		return deeper_still(depth - 1) + 1;
	who_called();
	return 1;
}

NOINLINE uint64_t deeper(int depth)
{
	Dl_info info;

	mix(dladdr((void *)(uintptr_t)deeper, &info) && strcmp(info.dli_sname, "deeper") == 0);
	return deeper_still(depth) + 1;
}

void play_callers(void);
NOINLINE void play_callers(void)
{
	for (int i = 0; i < 10; i++)
		mix(deeper(i));
}

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	*(int *)data += info->dlpi_phnum > 0 && strstr(info->dlpi_name, "libone.so") != NULL;
	return 0;
}

static void play_asked(void)
{
	char path[5000];
	int found = 0;
	void *library;

	snprintf(path, sizeof(path), "%s/libone.so", folder);
	dl_iterate_phdr(look, &found);
	mix((uint64_t)found);
	library = dlopen(path, RTLD_NOW);
	dl_iterate_phdr(look, &found);
	mix((uint64_t)found);
	mix(dlsym(RTLD_DEFAULT, "who_called") != NULL);
	mix(dlsym(RTLD_NEXT, "malloc") != NULL);
	mix(dlsym(RTLD_DEFAULT, "no such function") == NULL);
	mix(dlopen("libnone.so", RTLD_NOW) == NULL);
	mix(dlerror() != NULL);
	dlclose(library);
}

static const struct scene scenes[] = {
	{"loads", play_loads},
	{"at_once", play_at_once},
	{"callers", play_callers},
	{"asked", play_asked},
};

int main(int argc, char **argv)
{
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	if (length < 0)
		return 1;
	*strrchr(folder, '/') = '\0';
	return SCENES(scenes, argc, argv);
}

/* Loads the library named first again and again, and may open the runtime, named second, for
 * itself alone, as an interpreter does. */
#include <dlfcn.h>
#include <kymo/kymo.h>
#include <stdio.h>
#include <string.h>

#define ROUNDS 20

struct options { /* struct kymo_runtime_options */
	size_t size;
	const char *const *settings, *const *argv;
};

static void *symbol(void *library, const char *name)
{
	void *found = library ? dlsym(library, name) : NULL;

	if (!found)
		fprintf(stderr, "%s\n", dlerror());
	return found;
}

static int open_runtime(const char *path, void **library)
{
	int (*open)(const struct options *, char *, size_t);
	struct options options = {sizeof(options), NULL, NULL};
	char reason[512];
	void *found;

	*library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	found = symbol(*library, "kymo_runtime_open");
	memcpy(&open, &found, sizeof(open));
	return found ? open(&options, reason, sizeof(reason)) : -1;
}

static void close_runtime(void *library)
{
	void (*close)(int);
	void *found = symbol(library, "kymo_runtime_close");

	memcpy(&close, &found, sizeof(close));
	if (found)
		close(0);
}

int main(int argc, char **argv)
{
	int (*run)(void), result = 0;
	void *runtime = NULL;

	if (argc > 2 && open_runtime(argv[2], &runtime) != 0)
		return 2;
	KYMO_REGION_BEGIN("shared");
	for (int i = 0; i < ROUNDS; i++) {
		void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
		void *found = symbol(plugin, "plugin_run");

		memcpy(&run, &found, sizeof(run));
		if (!found)
			return 3;
		result |= run();
		dlclose(plugin);
	}
	KYMO_REGION_END("shared");
	printf("%d %d\n", kymo_is_loaded(), result);
	if (runtime)
		close_runtime(runtime);
	return 0;
}

/* Loads a libpython out of the others' sight, and tells when its interpreter is found:
 * pystack_embed LIBRARY prints "found ready" as digits: before it is loaded, when it is, when
 * Python runs, and when it has ended. */
#include <dlfcn.h>
#include <stdio.h>

#include "pystack/pystack.h"
#include "pystack/pyruntime_self.h"
#include "pystack/walk/pystack_walk.h"

static void tell(void)
{
	struct pyruntime runtime;
	struct pyframe frames[10];
	size_t count;
	bool is_found = pyruntime_find(&runtime, NULL), is_ready = pyruntime_self(&runtime, NULL);

	printf("%d %d", is_found, is_ready);
	if (is_ready)
		printf(" %d", pystack_walk(&runtime, NULL, pyruntime_this_thread(&runtime), frames,
					   10, &count));
	printf("\n");
}

int main(int argc, char **argv)
{
	void (*initialize)(void), (*finalize)(void);
	void *library;

	if (argc != 2)
		return 2;
	tell();
	library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return 3;
	initialize = (void (*)(void))dlsym(library, "Py_Initialize");
	finalize = (void (*)(void))dlsym(library, "Py_Finalize");
	tell();
	initialize();
	tell();
	finalize();
	tell();
	return 0;
}

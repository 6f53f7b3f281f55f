/* `waits_plugins LIBRARY`: load and unload it some times; ends with 5. */
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments)
{
	for (int i = 0; i < 10 && count > 1; i++) {
		void *library = dlopen(arguments[1], RTLD_NOW);

		printf("%d\n", library != NULL);
		dlclose(library);
	}
	return 5;
}

/* Loads libraries until the static thread-local storage is used up, then one more. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void *body(void *argument)
{
	return argument;
}

int main(int count, char **arguments)
{
	int loaded = 0;
	pthread_t thread;
	void *last;

	for (int i = 2; i < count; i++)
		loaded += dlopen(arguments[i], RTLD_NOW) != NULL;
	printf("%d of %d loaded\n", loaded, count - 2);
	last = dlopen(arguments[1], RTLD_NOW);
	printf("last: %s\n", last ? "loaded" : dlerror());
	pthread_create(&thread, NULL, body, NULL);
	pthread_join(thread, NULL);
	return 5;
}

/* Threads in the way that its argument names; ends with status 5.
 *
 * With "keys" all pthread keys are used up before any constructor runs. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <threads.h>
#include <unistd.h>

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			printf("line %d: not true: %s\n", __LINE__, #condition);                   \
			exit(99);                                                                  \
		}                                                                                  \
	} while (0)

static void *same(void *argument)
{
	return argument;
}

static void *leaving(void *argument)
{
	pthread_exit(argument);
}

static void *waiting(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static int same_c11(void *argument)
{
	return (int)(long)argument;
}

static void run(const pthread_attr_t *attributes, void *(*routine)(void *))
{
	pthread_t thread;
	void *result;

	CHECK(pthread_create(&thread, attributes, routine, (void *)7) == 0);
	CHECK(pthread_join(thread, &result) == 0 && result == (void *)7);
}

static void all_ends(void)
{
	pthread_t thread;
	thrd_t c11;
	void *result;
	int status;

	run(NULL, same);
	run(NULL, leaving);
	CHECK(pthread_create(&thread, NULL, waiting, NULL) == 0);
	pthread_cancel(thread);
	CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
	CHECK(thrd_create(&c11, same_c11, (void *)8) == thrd_success);
	CHECK(thrd_join(c11, &status) == thrd_success && status == 8);
}

static void many(void)
{
	pthread_t threads[64];

	for (int round = 0; round < 20; round++) {
		for (long i = 0; i < 64; i++)
			CHECK(pthread_create(&threads[i], NULL, same, (void *)i) == 0);
		for (long i = 0; i < 64; i++) {
			void *result;

			CHECK(pthread_join(threads[i], &result) == 0 && result == (void *)i);
		}
	}
}

static void small_stacks(void)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)) == 0);
	for (int i = 0; i < 20; i++)
		run(&attributes, same);
}

static void failing(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, (size_t)1 << 62) == 0);
	for (int i = 0; i < 3000; i++) {
		errno = 77;
		CHECK(pthread_create(&thread, &attributes, same, NULL) == EAGAIN);
	}
	run(NULL, same);
}

static void *naming_itself(void *argument)
{
	pthread_setname_np(pthread_self(), "by itself");
	return argument;
}

static void *controlling(void *argument)
{
	char name[16];

	prctl(PR_SET_NAME, "by prctl");
	CHECK(prctl(PR_GET_NAME, name) == 0 && !strcmp(name, "by prctl"));
	return argument;
}

static void *held(void *barrier)
{
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	return NULL;
}

static void names(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	run(NULL, naming_itself);
	run(NULL, controlling);
	pthread_barrier_init(&barrier, NULL, 2);
	CHECK(pthread_create(&thread, NULL, held, &barrier) == 0);
	pthread_barrier_wait(&barrier);
	CHECK(pthread_setname_np(thread, "by another") == 0);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	CHECK(pthread_create(&thread, NULL, held, &barrier) == 0);
	CHECK(pthread_setname_np(thread, "runs on") == 0);
	pthread_barrier_wait(&barrier);
}

static pthread_key_t late_key;

static void create_at_end(void *unused)
{
	(void)unused;
	run(NULL, same);
}

static void *keyed(void *argument)
{
	pthread_setspecific(late_key, argument);
	return argument;
}

static void late_destructors(void)
{
	CHECK(pthread_key_create(&late_key, create_at_end) == 0);
	run(NULL, keyed);
}

static void take_keys(int argc, char **argv)
{
	pthread_key_t key;

	if (argc > 1 && !strcmp(argv[1], "keys"))
		while (pthread_key_create(&key, NULL) == 0)
			continue;
}
__attribute__((section(".preinit_array"), used)) static void (*before)(int, char **) = take_keys;

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (!strcmp(kind, "all_ends") || !strcmp(kind, "keys"))
		all_ends();
	else if (!strcmp(kind, "many"))
		many();
	else if (!strcmp(kind, "small_stacks"))
		small_stacks();
	else if (!strcmp(kind, "failing"))
		failing();
	else if (!strcmp(kind, "names"))
		names();
	else if (!strcmp(kind, "late_destructors"))
		late_destructors();
	else
		return 98;
	return 5;
}

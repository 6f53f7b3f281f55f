/* Locks of all kinds: what each call answers, bare and recorded, and who waits for what.
 * `waits_locks KIND`; ends with 5.  Nothing depends on how long anything takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "waits_waiter.h"

#define INVALID_CLOCK 77

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t c11_mutex;

static const struct timespec past = {1, 0}, malformed = {1, 1000000000};

static struct timespec soon(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_nsec += 2000000;
	if (time.tv_nsec >= 1000000000) {
		time.tv_sec++;
		time.tv_nsec -= 1000000000;
	}
	return time;
}

static void say(const char *what, int result)
{
	printf("%s: %s\n", what, result ? strerror(result) : "0");
}

#define SAY(call) say(#call, call)

static void lock_mutex(void)
{
	SAY(pthread_mutex_lock(&mutex));
	SAY(pthread_mutex_unlock(&mutex));
}

static void lock_read(void)
{
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_unlock(&rwlock));
}

static void lock_write(void)
{
	SAY(pthread_rwlock_wrlock(&rwlock));
	SAY(pthread_rwlock_unlock(&rwlock));
}

static void lock_spin(void)
{
	SAY(pthread_spin_lock(&spin));
	SAY(pthread_spin_unlock(&spin));
}

static void lock_c11(void)
{
	SAY(mtx_lock(&c11_mutex));
	SAY(mtx_unlock(&c11_mutex));
}

static void contended(void)
{
	struct waiter waiter;

	pthread_mutex_lock(&mutex);
	start_until_it_sleeps(&waiter, lock_mutex);
	pthread_mutex_unlock(&mutex);
	pthread_join(waiter.thread, NULL);

	pthread_rwlock_wrlock(&rwlock);
	start_until_it_sleeps(&waiter, lock_read);
	pthread_rwlock_unlock(&rwlock);
	pthread_join(waiter.thread, NULL);

	pthread_rwlock_rdlock(&rwlock);
	start_until_it_sleeps(&waiter, lock_write);
	pthread_rwlock_unlock(&rwlock);
	pthread_join(waiter.thread, NULL);

	pthread_spin_lock(&spin);
	start_until_it_spins(&waiter, lock_spin);
	pthread_spin_unlock(&spin);
	pthread_join(waiter.thread, NULL);

	mtx_lock(&c11_mutex);
	start_until_it_sleeps(&waiter, lock_c11);
	mtx_unlock(&c11_mutex);
	pthread_join(waiter.thread, NULL);
}

/* Again and again: each of them is seen. */
static void many_waits(void)
{
	struct waiter waiter;

	for (int i = 0; i < 20; i++) {
		pthread_mutex_lock(&mutex);
		start_until_it_sleeps(&waiter, lock_mutex);
		pthread_mutex_unlock(&mutex);
		pthread_join(waiter.thread, NULL);
	}
}

static void uncontended(void)
{
	for (int i = 0; i < 100; i++) {
		struct timespec time = soon(CLOCK_REALTIME);

		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		pthread_mutex_timedlock(&mutex, &time);
		pthread_mutex_unlock(&mutex);
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		pthread_rwlock_wrlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
		mtx_lock(&c11_mutex);
		mtx_unlock(&c11_mutex);
	}
}

static void *lock_and_end(void *object)
{
	pthread_mutex_lock(object);
	return NULL;
}

static void *try_and_unlock(void *object)
{
	SAY(pthread_mutex_trylock(object));
	SAY(pthread_mutex_unlock(object));
	return NULL;
}

static void in_thread(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	pthread_create(&thread, NULL, body, argument);
	pthread_join(thread, NULL);
}

static void make(pthread_mutex_t *object, int type, int robust, int protocol)
{
	pthread_mutexattr_t how;

	pthread_mutexattr_init(&how);
	SAY(pthread_mutexattr_settype(&how, type));
	SAY(pthread_mutexattr_setrobust(&how, robust));
	SAY(pthread_mutexattr_setprotocol(&how, protocol));
	SAY(pthread_mutex_init(object, &how));
	pthread_mutexattr_destroy(&how);
}

/* Twice by the same thread, where that does not hang; while another has it; by another. */
static void ask_mutex(pthread_mutex_t *object, int type)
{
	struct timespec time = soon(CLOCK_REALTIME), steady = soon(CLOCK_MONOTONIC);

	SAY(pthread_mutex_lock(object));
	if (type != PTHREAD_MUTEX_NORMAL)
		SAY(pthread_mutex_lock(object));
	SAY(pthread_mutex_trylock(object));
	SAY(pthread_mutex_timedlock(object, &time));
	SAY(pthread_mutex_clocklock(object, CLOCK_MONOTONIC, &steady));
	SAY(pthread_mutex_timedlock(object, &past));
	SAY(pthread_mutex_timedlock(object, &malformed));
	SAY(pthread_mutex_clocklock(object, INVALID_CLOCK, &past));
	in_thread(try_and_unlock, object);
	for (int i = 0; i < 8; i++)
		SAY(pthread_mutex_unlock(object));
	SAY(pthread_mutex_timedlock(object, &malformed));
	SAY(pthread_mutex_unlock(object));
	SAY(pthread_mutex_clocklock(object, INVALID_CLOCK, &past));
}

static void ask_robust(pthread_mutex_t *object)
{
	in_thread(lock_and_end, object);
	SAY(pthread_mutex_lock(object));
	SAY(pthread_mutex_consistent(object));
	SAY(pthread_mutex_unlock(object));
	in_thread(lock_and_end, object);
	SAY(pthread_mutex_trylock(object));
	SAY(pthread_mutex_unlock(object));
	SAY(pthread_mutex_lock(object));
	SAY(pthread_mutex_trylock(object));
}

static void mutexes(void)
{
	static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK,
				    PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ADAPTIVE_NP};
	static const int protocols[] = {PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT};
	pthread_mutex_t object;

	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 2; k++) {
			make(&object, types[i], PTHREAD_MUTEX_STALLED, protocols[k]);
			/* Unlocking a normal one that is free may answer anything. */
			if (types[i] == PTHREAD_MUTEX_ERRORCHECK ||
			    types[i] == PTHREAD_MUTEX_RECURSIVE)
				ask_mutex(&object, types[i]);
			pthread_mutex_destroy(&object);
			make(&object, types[i], PTHREAD_MUTEX_ROBUST, protocols[k]);
			ask_robust(&object);
			pthread_mutex_destroy(&object);
		}
	}
}

static void has_it(struct waiter *waiter);

/* A mutex of the program's own that another thread has. */
static void timeouts(void)
{
	struct timespec time;
	struct waiter waiter;

	has_it(&waiter);
	time = soon(CLOCK_REALTIME);
	SAY(pthread_mutex_timedlock(&mutex, &time));
	time = soon(CLOCK_MONOTONIC);
	SAY(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &time));
	SAY(pthread_mutex_timedlock(&mutex, &malformed));
	SAY(pthread_mutex_clocklock(&mutex, INVALID_CLOCK, &past));
	SAY(pthread_rwlock_tryrdlock(&rwlock));
	SAY(pthread_rwlock_trywrlock(&rwlock));
	time = soon(CLOCK_REALTIME);
	SAY(pthread_rwlock_timedrdlock(&rwlock, &time));
	SAY(pthread_rwlock_timedwrlock(&rwlock, &time));
	time = soon(CLOCK_MONOTONIC);
	SAY(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &time));
	SAY(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &time));
	SAY(pthread_rwlock_timedrdlock(&rwlock, &malformed));
	SAY(pthread_rwlock_clockwrlock(&rwlock, INVALID_CLOCK, &past));
	SAY(mtx_trylock(&c11_mutex));
	SAY(mtx_timedlock(&c11_mutex, &past));
	pthread_mutex_unlock(&other_mutex);
	pthread_join(waiter.thread, NULL);
	SAY(pthread_rwlock_timedrdlock(&rwlock, &malformed));
	SAY(pthread_rwlock_clockwrlock(&rwlock, INVALID_CLOCK, &past));
}

static void take_and_wait(void)
{
	pthread_mutex_lock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	mtx_lock(&c11_mutex);
	pthread_mutex_lock(&other_mutex);
	pthread_mutex_unlock(&other_mutex);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_unlock(&rwlock);
	mtx_unlock(&c11_mutex);
}

static void has_it(struct waiter *waiter)
{
	pthread_mutex_lock(&other_mutex);
	start_until_it_sleeps(waiter, take_and_wait);
}

static void rwlocks(void)
{
	SAY(pthread_rwlock_wrlock(&rwlock));
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_wrlock(&rwlock));
	SAY(pthread_rwlock_timedrdlock(&rwlock, &past));
	SAY(pthread_rwlock_timedwrlock(&rwlock, &past));
	SAY(pthread_rwlock_tryrdlock(&rwlock));
	SAY(pthread_rwlock_trywrlock(&rwlock));
	SAY(pthread_rwlock_unlock(&rwlock));
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_rdlock(&rwlock));
	SAY(pthread_rwlock_tryrdlock(&rwlock));
	SAY(pthread_rwlock_trywrlock(&rwlock));
	SAY(pthread_rwlock_timedwrlock(&rwlock, &past));
	for (int i = 0; i < 3; i++)
		SAY(pthread_rwlock_unlock(&rwlock));
	SAY(pthread_rwlock_trywrlock(&rwlock));
	SAY(pthread_rwlock_unlock(&rwlock));
	SAY(pthread_spin_trylock(&spin));
	SAY(pthread_spin_trylock(&spin));
	SAY(pthread_spin_unlock(&spin));
}

/* In a child of a process whose other thread has the locks, and waits for one. */
static void forks(void)
{
	struct waiter waiter;
	int status = -1;
	pid_t child;

	has_it(&waiter);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		SAY(pthread_mutex_trylock(&mutex));
		SAY(pthread_mutex_timedlock(&mutex, &past));
		SAY(pthread_mutex_unlock(&other_mutex));
		SAY(pthread_mutex_lock(&other_mutex));
		fflush(stdout);
		_exit(3);
	}
	waitpid(child, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
	pthread_mutex_unlock(&other_mutex);
	pthread_join(waiter.thread, NULL);
}

#define THREADS 8
#define TURNS	20000

static long sums[4];

static void *hammer(void *argument)
{
	unsigned random = (unsigned)(unsigned long)argument;

	for (int i = 0; i < TURNS; i++) {
		random = random * 1664525u + 1013904223u;
		pthread_mutex_lock(&mutex);
		sums[0]++;
		pthread_mutex_unlock(&mutex);
		if (random >> 30 == 0) {
			pthread_rwlock_wrlock(&rwlock);
			sums[1]++;
			pthread_rwlock_unlock(&rwlock);
		} else {
			pthread_rwlock_rdlock(&rwlock);
			pthread_rwlock_unlock(&rwlock);
		}
		if (random >> 28 == 0) {
			pthread_spin_lock(&spin);
			sums[2]++;
			pthread_spin_unlock(&spin);
		}
		mtx_lock(&c11_mutex);
		sums[3]++;
		mtx_unlock(&c11_mutex);
	}
	return NULL;
}

static void hammer_all(void)
{
	pthread_t threads[THREADS];

	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, hammer, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%ld %ld %ld %ld\n", sums[0], sums[1], sums[2], sums[3]);
}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{"contended", contended}, {"many_waits", many_waits}, {"uncontended", uncontended},
		{"mutexes", mutexes},	  {"timeouts", timeouts},     {"rwlocks", rwlocks},
		{"forks", forks},	  {"hammer", hammer_all},
	};

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	mtx_init(&c11_mutex, mtx_timed);
	for (size_t i = 0; count > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(arguments[1], kinds[i].name))
			kinds[i].run();
	return 5;
}

/* Waiting of all kinds: what each call answers, bare and recorded, and what is waited for.
 * `waits_kinds KIND`; ends with 5.  Nothing depends on how long anything takes. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore, empty, full;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static int flag;

static const struct timespec past = {1, 0}, malformed = {1, 1000000000};

static void say(const char *what, int result)
{
	printf("%s: %s\n", what, result ? strerror(result) : "0");
}

#define SAY(call)	say(#call, call)
#define SAY_ERRNO(call) say(#call, call == 0 ? 0 : errno)

/* The state that the kernel tells of a thread: S = it sleeps. */
static char state_of(pid_t id)
{
	char path[64], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)id);
	file = fopen(path, "r");
	if (!file)
		return '?';
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	return strrchr(text, ')') ? strrchr(text, ')')[2] : '?';
}

static pid_t waiter;

static void announce(void)
{
	__atomic_store_n(&waiter, (pid_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
}

/* Until the thread that announced itself sleeps. */
static void until_it_sleeps(void)
{
	pid_t id;

	while ((id = __atomic_load_n(&waiter, __ATOMIC_ACQUIRE)) == 0 || state_of(id) != 'S')
		sched_yield();
	__atomic_store_n(&waiter, 0, __ATOMIC_RELAXED);
}

static void *wait_for_all(void *argument)
{
	SAY(pthread_mutex_lock(&mutex));
	announce();
	while (!flag)
		SAY(pthread_cond_wait(&condition, &mutex));
	SAY(pthread_mutex_unlock(&mutex));
	announce();
	SAY(sem_wait(&semaphore));
	mtx_lock(&c11_mutex);
	announce();
	while (flag < 2)
		SAY(cnd_wait(&c11_condition, &c11_mutex));
	mtx_unlock(&c11_mutex);
	return argument;
}

static void waits(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_all, NULL);
	until_it_sleeps();
	pthread_mutex_lock(&mutex);
	flag = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	until_it_sleeps();
	sem_post(&semaphore);
	until_it_sleeps();
	mtx_lock(&c11_mutex);
	flag = 2;
	cnd_signal(&c11_condition);
	mtx_unlock(&c11_mutex);
	SAY(pthread_join(thread, NULL));
}

static void timeouts(void)
{
	pthread_mutex_lock(&mutex);
	SAY(pthread_cond_timedwait(&never, &mutex, &past));
	SAY(pthread_cond_clockwait(&never, &mutex, CLOCK_MONOTONIC, &past));
	SAY(pthread_cond_timedwait(&never, &mutex, &malformed));
	SAY(pthread_cond_clockwait(&never, &mutex, 77, &past));
	pthread_mutex_unlock(&mutex);
	SAY_ERRNO(sem_timedwait(&empty, &past));
	SAY_ERRNO(sem_clockwait(&empty, CLOCK_MONOTONIC, &past));
	SAY_ERRNO(sem_timedwait(&empty, &malformed));
	SAY_ERRNO(sem_clockwait(&empty, 77, &past));
	SAY_ERRNO(sem_timedwait(&full, &malformed));
	mtx_lock(&c11_mutex);
	SAY(cnd_timedwait(&c11_condition, &c11_mutex, &past));
	mtx_unlock(&c11_mutex);
}

/* What need not wait leaves nothing, and errno as it was. */
static void at_once(void)
{
	errno = 42;
	for (int i = 0; i < 10; i++)
		SAY(sem_wait(&full));
	SAY(sem_timedwait(&full, &past));
	printf("%d\n", errno);
}

static void *answer(void *argument)
{
	return argument;
}

static int answer_c11(void *argument)
{
	(void)argument;
	return 42;
}

static void *wait_for_flag(void *argument)
{
	while (!__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
		sched_yield();
	return argument;
}

static void joins(void)
{
	pthread_t thread;
	thrd_t c11_thread;
	void *value = NULL;
	int number = 0;

	pthread_create(&thread, NULL, answer, &flag);
	SAY(pthread_join(thread, &value));
	printf("%d\n", value == &flag);
	SAY(pthread_join(pthread_self(), NULL));
	pthread_create(&thread, NULL, wait_for_flag, &mutex);
	SAY(pthread_tryjoin_np(thread, &value));
	SAY(pthread_timedjoin_np(thread, &value, &past));
	SAY(pthread_clockjoin_np(thread, &value, CLOCK_MONOTONIC, &past));
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	SAY(pthread_clockjoin_np(thread, &value, CLOCK_REALTIME, NULL));
	printf("%d\n", value == &mutex);
	thrd_create(&c11_thread, answer_c11, NULL);
	SAY(thrd_join(c11_thread, &number));
	printf("%d\n", number);
}

#define SERIALS 7

static int serials;

static void *meet(void *argument)
{
	for (int i = 0; i < SERIALS; i++) {
		int result = pthread_barrier_wait(&barrier);

		if (result == PTHREAD_BARRIER_SERIAL_THREAD)
			__atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
		else if (result != 0)
			say("pthread_barrier_wait", result);
	}
	return argument;
}

static void barriers(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, meet, NULL);
	meet(NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", serials);
}

/* Threads that are cancelled while they wait. */

static void clean_up(void *what)
{
	printf("cleaning up after %s\n", (const char *)what);
	say("sem_timedwait", sem_timedwait(&empty, &past) ? errno : 0);
}

static void *wait_in_condition(void *argument)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean_up, argument);
	announce();
	pthread_cond_wait(&never, &mutex);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *wait_in_semaphore(void *argument)
{
	pthread_cleanup_push(clean_up, argument);
	announce();
	sem_wait(&empty);
	pthread_cleanup_pop(0);
	return NULL;
}

static void *wait_in_join(void *argument)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_for_flag, NULL);
	pthread_cleanup_push(clean_up, argument);
	announce();
	pthread_join(thread, NULL);
	pthread_cleanup_pop(0);
	return NULL;
}

/* A request that came before acts though there is nothing to wait for. */
static void *take_when_cancelled(void *argument)
{
	pthread_cleanup_push(clean_up, argument);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	wait_for_flag(NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	sem_wait(&full);
	puts("not cancelled");
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(void *(*body)(void *), const char *what)
{
	void *result = NULL;
	pthread_t thread;

	pthread_create(&thread, NULL, body, (void *)what);
	until_it_sleeps();
	pthread_cancel(thread);
	pthread_join(thread, &result);
	printf("%s: %s\n", what, result == PTHREAD_CANCELED ? "cancelled" : "ended");
	pthread_mutex_trylock(&mutex);
	pthread_mutex_unlock(&mutex);
}

static void cancels(void)
{
	pthread_t thread;

	cancel(wait_in_condition, "condition");
	cancel(wait_in_semaphore, "semaphore");
	cancel(wait_in_join, "join");
	pthread_create(&thread, NULL, take_when_cancelled, "nothing");
	pthread_cancel(thread);
	__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
	(void)number;
	caught++;
}

static void *wait_for_signals(void *argument)
{
	announce();
	SAY_ERRNO(sem_wait(&empty));
	pthread_mutex_lock(&mutex);
	announce();
	while (!flag)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	return argument;
}

static void signals(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	pthread_t thread;

	sigaction(SIGUSR1, &action, NULL);
	pthread_create(&thread, NULL, wait_for_signals, NULL);
	until_it_sleeps();
	pthread_kill(thread, SIGUSR1);
	until_it_sleeps();
	pthread_kill(thread, SIGUSR1);
	while (caught < 2)
		sched_yield();
	pthread_mutex_lock(&mutex);
	flag = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	pthread_join(thread, NULL);
	printf("%d signals\n", (int)caught);
}

/* A child of a thread while another waits; the child waits, too. */
static void forks(void)
{
	pthread_t thread;
	int status = -1;
	pid_t child;

	pthread_create(&thread, NULL, wait_in_semaphore, "semaphore");
	until_it_sleeps();
	fflush(stdout);
	child = fork();
	if (child == 0) {
		pthread_create(&thread, NULL, answer, NULL);
		SAY(pthread_join(thread, NULL));
		fflush(stdout);
		exit(3);
	}
	waitpid(child, &status, 0);
	printf("child %d\n", WEXITSTATUS(status));
	sem_post(&empty);
	pthread_join(thread, NULL);
}

int main(int count, char **arguments)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {
		{"waits", waits},     {"timeouts", timeouts}, {"at_once", at_once},
		{"joins", joins},     {"barriers", barriers}, {"cancels", cancels},
		{"signals", signals}, {"forks", forks},
	};

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	pthread_barrier_init(&barrier, NULL, 4);
	sem_init(&semaphore, 0, 0);
	sem_init(&empty, 0, 0);
	sem_init(&full, 0, 100);
	mtx_init(&c11_mutex, mtx_plain);
	cnd_init(&c11_condition);
	for (size_t i = 0; count > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(arguments[1], kinds[i].name))
			kinds[i].run();
	return 5;
}

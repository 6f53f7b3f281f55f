/* Signals at any moment, and jumps out of what was open. */
#define _GNU_SOURCE
#include <errno.h>
#include <kymo/kymo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#define SIGNALS 5000
#define JUMPS	2000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, handlers_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile sig_atomic_t handled;
static sigjmp_buf place;
static volatile int is_over;

static void handle(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	KYMO_REGION_BEGIN("handler");
	pthread_mutex_lock(&handlers_lock);
	kymo_region_begin("in handler");
	kymo_counter_set("signals", NULL, handled);
	kymo_region_end("in handler");
	pthread_mutex_unlock(&handlers_lock);
	KYMO_REGION_END("handler");
	handled++;
	errno = EDOM;
}

static void install(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigemptyset(&action.sa_mask);
	sigaction(number, &action, NULL);
}

static void work(void)
{
	KYMO_REGION_BEGIN("outer");
	for (int i = 0; i < 3; i++) {
		KYMO_REGION_BEGIN("inner");
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		KYMO_REGION_END("inner");
	}
	kymo_instant("done");
	KYMO_REGION_END("outer");
}

static void interrupted(void)
{
	struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};

	install(SIGALRM, handle, SA_RESTART);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < SIGNALS)
		work();
	setitimer(ITIMER_REAL, &never, NULL);
	printf("interrupted\n");
}

static void *shoot(void *target)
{
	while (!is_over)
		pthread_kill(*(pthread_t *)target, SIGUSR1);
	return NULL;
}

static void *nothing(void *argument)
{
	return argument;
}

/* Threads are made and joined under fire, and the one that shoots is recorded too. */
static void under_fire(void)
{
	pthread_t self = pthread_self(), shooter, thread;

	install(SIGUSR1, handle, SA_RESTART);
	pthread_create(&shooter, NULL, shoot, &self);
	for (int i = 0; handled < SIGNALS; i++) {
		work();
		if (i % 10 == 0 && pthread_create(&thread, NULL, nothing, NULL) == 0)
			pthread_join(thread, NULL);
	}
	is_over = 1;
	pthread_join(shooter, NULL);
	printf("under fire\n");
}

static void leap(int depth)
{
	kymo_region_begin("leaping");
	if (depth == 0)
		siglongjmp(place, 1);
	leap(depth - 1);
	kymo_region_end("leaping");
}

static void jumps(void)
{
	volatile int count = 0;

	kymo_region_begin("all jumps");
	for (volatile int i = 0; i < JUMPS; i++) {
		kymo_region_begin("around");
		if (sigsetjmp(place, 0))
			count++;
		else
			leap(3);
		kymo_region_end("around");
	}
	kymo_region_end("all jumps");
	kymo_region_begin("after");
	kymo_region_end("after");
	printf("%d jumps\n", count);
}

static void jump(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	kymo_region_begin("never ended");
	siglongjmp(place, 1);
}

/* Out of faults, on a stack of their own. */
static void faults(void)
{
	static char space[64 << 10];
	stack_t stack = {.ss_sp = space, .ss_size = sizeof(space)};
	char *forbidden = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int count = 0;

	sigaltstack(&stack, NULL);
	install(SIGSEGV, jump, SA_ONSTACK);
	kymo_region_begin("faults");
	for (volatile int i = 0; i < JUMPS; i++) {
		kymo_region_begin("fault");
		if (sigsetjmp(place, 1))
			count++;
		else
			*(volatile char *)forbidden = 1;
		kymo_region_end("fault");
	}
	kymo_region_end("faults");
	printf("%d faults\n", count);
}

static int recurse(int depth)
{
	volatile char room[1000];

	room[0] = (char)depth;
	return depth < 0 ? 0 : recurse(depth + 1) + room[0];
}

static void overflow(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	work();
	siglongjmp(place, 1);
}

/* The stack is used up, and the handler runs on a small one. */
static void overflows(void)
{
	static char space[16 << 10];
	stack_t stack = {.ss_sp = space, .ss_size = sizeof(space)};
	volatile int count = 0;

	sigaltstack(&stack, NULL);
	install(SIGSEGV, overflow, SA_ONSTACK);
	for (volatile int i = 0; i < 5; i++) {
		if (sigsetjmp(place, 1))
			count++;
		else
			recurse(0);
	}
	printf("%d overflows\n", count);
}

static void give_up(int number)
{
	(void)number;
	siglongjmp(place, 1);
}

static void *sleep_on(void *argument)
{
	while (!is_over)
		usleep(1000);
	return argument;
}

/* Waits that end by a jump out of a signal handler. */
static void timeouts(void)
{
	struct itimerval soon = {{0, 0}, {0, 500}};
	volatile int count = 0;
	pthread_t thread;
	sigset_t alarm;

	signal(SIGALRM, give_up);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &alarm, NULL); /* the other thread is not meant */
	pthread_create(&thread, NULL, sleep_on, NULL);
	pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
	pthread_mutex_lock(&lock);
	for (volatile int i = 0; i < 100; i++) {
		kymo_region_begin("with a limit");
		if (sigsetjmp(place, 1)) {
			count++;
		} else {
			setitimer(ITIMER_REAL, &soon, NULL);
			if (i % 2)
				pthread_mutex_lock(&lock);
			else
				pthread_join(thread, NULL);
		}
		kymo_region_end("with a limit");
	}
	is_over = 1;
	pthread_join(thread, NULL);
	printf("%d timeouts\n", count);
}

static int run(const char *kind)
{
	if (!strcmp(kind, "interrupted"))
		interrupted();
	else if (!strcmp(kind, "under_fire"))
		under_fire();
	else if (!strcmp(kind, "jumps"))
		jumps();
	else if (!strcmp(kind, "faults"))
		faults();
	else if (!strcmp(kind, "overflows"))
		overflows();
	else if (!strcmp(kind, "timeouts"))
		timeouts();
	else
		return 2;
	return 5;
}

int main(int count, char **arguments)
{
	return count > 1 ? run(arguments[1]) : 2;
}

/* Threads and processes that come and go while they are sampled: sampled_life KIND [COUNT]. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

/* CPU time of the thread: what is spun for is had on a busy machine as well. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

__attribute__((noinline)) void in_parent(double seconds)
{
	double end = now() + seconds;

	while (now() < end) {
		for (int i = 0; i < 1000; i++)
			sink++;
	}
}

__attribute__((noinline)) void in_child(double seconds)
{
	double end = now() + seconds;

	while (now() < end) {
		for (int i = 0; i < 1000; i++)
			sink++;
	}
}

__attribute__((noinline)) void in_grandchild(double seconds)
{
	double end = now() + seconds;

	while (now() < end) {
		for (int i = 0; i < 1000; i++)
			sink++;
	}
}

static int status_of(pid_t child)
{
	int status = 0;

	if (waitpid(child, &status, 0) != child)
		return -1;
	return WEXITSTATUS(status);
}

/* Children that make no event: only samples can tell of them. */
static void forks(void)
{
	pid_t child = fork();

	if (child == 0) {
		pid_t grandchild = fork();

		if (grandchild == 0) {
			in_grandchild(0.15);
			_exit(5);
		}
		in_child(0.15);
		_exit(status_of(grandchild) + 1);
	}
	in_parent(0.15);
	printf("%d\n", status_of(child));
}

static void forks_by_call(void)
{
	pid_t child = (pid_t)syscall(SYS_fork);

	if (child == 0) {
		in_child(0.15);
		_exit(7);
	}
	in_parent(0.15);
	printf("%d\n", status_of(child));
}

static void replaces(const char *self)
{
	char *const arguments[] = {(char *)self, "child", NULL};

	in_parent(0.1);
	execl("/nonexistent/program", "program", NULL);
	printf("%d\n", errno == ENOENT);
	fflush(stdout);
	in_parent(0.1);
	execv(self, arguments);
}

static void *briefly(void *argument)
{
	in_child(*(double *)argument);
	return NULL;
}

/* Always a few at a time. */
static void threads(int count)
{
	static double duration = 0.0002;
	pthread_t thread[8];

	for (int i = 0; i < count; i += 8) {
		for (int j = 0; j < 8; j++)
			pthread_create(&thread[j], NULL, briefly, &duration);
		for (int j = 0; j < 8; j++)
			pthread_join(thread[j], NULL);
	}
}

/* The process ends while they run. */
static void left_running(void)
{
	static double duration = 100;
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, briefly, &duration);
	in_parent(0.1);
	exit(4);
}

static pthread_barrier_t all_there;

static void *waiting(void *argument)
{
	pthread_barrier_wait(&all_there);
	return argument;
}

static void many_at_once(int count)
{
	pthread_t *thread = calloc((size_t)count, sizeof(*thread));

	pthread_barrier_init(&all_there, NULL, (unsigned)count + 1);
	for (int i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, waiting, NULL);
	in_parent(0.05);
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	puts("joined");
}

/* Gives up all system calls but those that a program needs which computes and ends. */
static void restricted(void)
{
#define ALLOW(number)                                                                              \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		ALLOW(SYS_write),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_newfstatat),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	in_parent(0.1);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		exit(9);
	in_child(0.1);
	(void)!write(1, "alive\n", 6);
	_exit(6);
}

static volatile int own_count;

static void on_own(int signal)
{
	(void)signal;
	own_count++;
}

/* Asks for the signals that sampling is most likely to have, one after the other. */
static void wants_signals(void)
{
	static double duration = 0.3;
	pthread_t thread;

	pthread_create(&thread, NULL, briefly, &duration);
	in_parent(0.05);
	for (int i = 0; i < 6; i++) {
		struct sigaction action = {.sa_handler = on_own}, before;

		if (sigaction(SIGRTMAX - i, &action, &before) != 0 || before.sa_handler != SIG_DFL)
			printf("%d had a handler\n", i);
		raise(SIGRTMAX - i);
	}
	in_parent(0.2);
	pthread_join(thread, NULL);
	printf("%d\n", own_count);
}

#define FEW_FILES 64

static void *closing(void *argument)
{
	in_child(0.1);
	syscall(SYS_close_range, 3, ~0u, 0);
	while (dup(2) >= 0)
		;
	return argument;
}

/* Closes all descriptors there are, and has the numbers for files of its own then. */
static void closes_all(void)
{
	struct rlimit few = {FEW_FILES, FEW_FILES};
	pthread_t thread;
	int count = 0;

	setrlimit(RLIMIT_NOFILE, &few);
	pthread_create(&thread, NULL, closing, NULL);
	pthread_join(thread, NULL);
	for (int i = 0; i < FEW_FILES; i++)
		count += fcntl(i, F_GETFD) >= 0;
	printf("%d\n", count);
}

/* More threads than there are descriptors, of which the program has a use for some. */
static void few_descriptors(int count)
{
	struct rlimit few = {FEW_FILES, FEW_FILES};
	pthread_t *thread = calloc((size_t)count, sizeof(*thread));
	int had = 0;

	setrlimit(RLIMIT_NOFILE, &few);
	pthread_barrier_init(&all_there, NULL, (unsigned)count + 1);
	for (int i = 0; i < count; i++)
		pthread_create(&thread[i], NULL, waiting, NULL);
	in_parent(0.05);
	while (dup(2) >= 0)
		had++;
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	printf("%d\n", had >= FEW_FILES / 2 - 8);
}

static jmp_buf place;

static void jump_out(int signal)
{
	(void)signal;
	_longjmp(place, 1);
}

/* Out of a handler on an alternate stack, by a jump that keeps its mask. */
static void jumps(void)
{
	struct sigaction action = {.sa_handler = jump_out, .sa_flags = SA_ONSTACK};
	stack_t stack = {.ss_size = 65536};
	sigset_t own;

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	in_parent(0.1);
	if (_setjmp(place) == 0)
		raise(SIGUSR1);
	sigemptyset(&own);
	sigaddset(&own, SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &own, NULL);
	in_child(0.1);
}

#define CODE_PAGE 4096

/* Code at the beginning of a page, behind another one that is gone by then. */
static void code_goes(void)
{
#ifdef __x86_64__
	static const unsigned char count_down[] = {0x48, 0xff, 0xcf, 0x75, 0xfb, 0xc3};
	char *pages = mmap(NULL, 2 * CODE_PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 2; i++) {
		double end = now() + 0.1;

		memcpy(pages + i * CODE_PAGE, count_down, sizeof(count_down));
		while (now() < end)
			((void (*)(uint64_t))(void *)(pages + i * CODE_PAGE))(10000000);
		munmap(pages, CODE_PAGE);
	}
#endif
	puts("counted");
}

/* With so many signals pending as a user may have, a real-time one is not sent. */
static void queue_is_full(void)
{
	struct rlimit few = {0, 0};

	in_parent(0.1);
	setrlimit(RLIMIT_SIGPENDING, &few);
	in_child(0.1);
	printf("%d\n", signal(SIGIO, SIG_IGN) == SIG_DFL);
}

int main(int argc, char **argv)
{
	const char *kind = argv[1];
	int count = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(kind, "forks"))
		forks();
	else if (!strcmp(kind, "forks_by_call"))
		forks_by_call();
	else if (!strcmp(kind, "replaces"))
		replaces("/proc/self/exe");
	else if (!strcmp(kind, "child"))
		in_child(0.1);
	else if (!strcmp(kind, "threads"))
		threads(count);
	else if (!strcmp(kind, "left_running"))
		left_running();
	else if (!strcmp(kind, "many_at_once"))
		many_at_once(count);
	else if (!strcmp(kind, "wants_signals"))
		wants_signals();
	else if (!strcmp(kind, "closes_all"))
		closes_all();
	else if (!strcmp(kind, "few_descriptors"))
		few_descriptors(count);
	else if (!strcmp(kind, "jumps"))
		jumps();
	else if (!strcmp(kind, "code_goes"))
		code_goes();
	else if (!strcmp(kind, "queue_is_full"))
		queue_is_full();
	else if (!strcmp(kind, "restricted"))
		restricted();
	return 0;
}

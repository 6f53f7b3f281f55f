/* Looks at its own text while it is instrumented: in time windows jumps are in it, and between
 * them they are taken out.  Says what it saw, after so many changes:
 *
 *   functions_lifted [SCENE] CHANGES
 *
 * None of its scenes ends before, however long that takes. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))
#define JUMP  0xe9

APART int leaf(int n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

/* Three of them for each of this. */
APART int middle(int n)
{
	int sum = 0;

	for (int i = 0; i < 3; i++)
		sum += leaf(n + i);
	return sum;
}

APART int deep(int n)
{
	return n ? deep(n - 1) + middle(n) : 1;
}

static const unsigned char *file;
static size_t file_size;
static uintptr_t bias;

static int find_bias(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	bias = info->dlpi_addr;
	return 1; /* the program is the first */
}

static void read_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat status;

	fstat(fd, &status);
	file_size = (size_t)status.st_size;
	file = mmap(NULL, file_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	dl_iterate_phdr(find_bias, NULL);
}

static int is_as_in_file(void)
{
	const ElfW(Ehdr) *head = (const void *)file;
	const ElfW(Phdr) *segment = (const void *)(file + head->e_phoff);

	for (int i = 0; i < head->e_phnum; i++)
		if (segment[i].p_type == PT_LOAD && (segment[i].p_flags & PF_X) &&
		    memcmp((const void *)(bias + segment[i].p_vaddr), file + segment[i].p_offset,
			   segment[i].p_filesz) != 0)
			return 0;
	return 1;
}

static int has_jump(void)
{
	const volatile unsigned char *code = (const unsigned char *)(uintptr_t)&leaf;

	return code[0] == JUMP || code[4] == JUMP;
}

static volatile int has_seen_file;

/* Work until the jump has come or gone. */
static void await(int is_there)
{
	while (has_jump() != is_there)
		for (int i = 0; i < 50; i++)
			deep(5);
	/* It may just be coming back. */
	while (!is_there && !has_seen_file && !has_jump())
		has_seen_file = is_as_in_file();
}

static void await_changes(int count)
{
	for (int i = 0; i < count; i++) {
		await(0);
		await(1);
	}
}

static volatile int is_over;

static void *work(void *sum)
{
	while (!is_over)
		*(long *)sum += deep(9) == deep(9);
	return NULL;
}

static void alone(int count)
{
	await_changes(count);
	printf("single %d\n", __libc_single_threaded);
}

static void threads(int count)
{
	pthread_t thread[4];
	long sum[4] = {0};

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work, &sum[i]);
	await_changes(count);
	is_over = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("threads %d\n", sum[0] && sum[1] && sum[2] && sum[3]);
}

static int pipe_ends[2], epoll_end;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_epoll(void *result)
{
	struct epoll_event event;

	*(long *)result = epoll_wait(epoll_end, &event, 1, -1);
	return NULL;
}

static void *wait_for_read(void *result)
{
	char byte;

	*(long *)result = read(pipe_ends[0], &byte, 1);
	return NULL;
}

static void *wait_for_mutex(void *result)
{
	*(long *)result = pthread_mutex_lock(&mutex) == 0;
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void *wait_for_signal(void *result)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	*(long *)result = sigwaitinfo(&set, NULL) == SIGUSR1;
	return NULL;
}

/* All of them sleep in the kernel at every change. */
static void sleepers(int count)
{
	void *(*const functions[])(void *) = {wait_for_epoll, wait_for_read, wait_for_mutex,
					      wait_for_signal};
	struct epoll_event event = {.events = EPOLLIN};
	pthread_t thread[4];
	long result[4] = {0};
	int other[2];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (pipe(pipe_ends) != 0 || pipe(other) != 0)
		exit(1);
	epoll_end = epoll_create1(0);
	epoll_ctl(epoll_end, EPOLL_CTL_ADD, other[0], &event);
	pthread_mutex_lock(&mutex);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, functions[i], &result[i]);
	await_changes(count);
	if (write(pipe_ends[1], "x", 1) != 1 || write(other[1], "x", 1) != 1)
		exit(1);
	pthread_mutex_unlock(&mutex);
	pthread_kill(thread[3], SIGUSR1);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("sleepers %ld %ld %ld %ld\n", result[0], result[1], result[2], result[3]);
}

static volatile int handled;

static void handle(int signal)
{
	(void)signal;
	handled += middle(handled) != 0;
}

/* Handlers interrupt the program anywhere, on a stack of their own, and stay for a while. */
static void signals(int count)
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval timer = {{0, 300}, {0, 300}}, none = {{0, 0}, {0, 0}};
	stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};

	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	await_changes(count);
	setitimer(ITIMER_REAL, &none, NULL);
	printf("signals %d\n", handled > 0);
}

/* A child that is made between windows is recorded in those that it lives to see. */
static void forks(int count)
{
	int status = -1;

	for (int i = 0; i < count; i++) {
		await(0);
		if (fork() == 0) {
			await_changes(1);
			await(0); /* a whole window lies behind it */
			_exit(0);
		}
		wait(&status);
		if (status != 0)
			exit(1);
	}
	printf("forks %d\n", status);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*play)(int count);
	} scenes[] = {{"alone", alone},
		      {"threads", threads},
		      {"sleepers", sleepers},
		      {"signals", signals},
		      {"forks", forks}};
	int count = argc > 2 ? atoi(argv[2]) : 0;

	read_file();
	for (unsigned i = 0; argc > 2 && i < sizeof(scenes) / sizeof(*scenes); i++)
		if (strcmp(scenes[i].name, argv[1]) == 0)
			scenes[i].play(count);
	printf("file %d\n", has_seen_file || count == 0);
	return 0;
}

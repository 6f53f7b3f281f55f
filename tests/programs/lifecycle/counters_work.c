/* Does what counters can count exactly: page faults, in regions, threads and children. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <kymo/kymo.h>
/* One page fault each, whatever the allocator does. */
static void touch(const char *name, long count)
{
	kymo_region_begin(name);
	for (long i = 0; i < count; i++) {
		char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0);
		*page = 1;
		munmap(page, 4096);
	}
	kymo_region_end(name);
}
/* Counters that a program which is executed would have open. */
static int handed_on(void)
{
	char path[64], link[64];
	int count = 0;

	for (int fd = 3; fd < 10000; fd++) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		length = readlink(path, link, sizeof(link) - 1);
		link[length > 0 ? length : 0] = '\0';
		count += strstr(link, "perf_event") && !(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
	return count;
}

static void *run(void *unused)
{
	touch("in thread", 300);
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc > 1 && !strcmp(argv[1], "fork") && fork() == 0) {
		touch("in child", 200);
		exit(0);
	}
	if (argc > 1 && !strcmp(argv[1], "descriptors")) {
		printf("next descriptor %d, handed on %d\n", dup(0), handed_on());
	}
	touch("outer", 0);
	kymo_region_begin("outer");
	touch("inner", 1000);
	kymo_region_end("outer");
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	wait(NULL);
	return 0;
}

/* Does what it is told, line by line, and says "ok" after each: so a test can have it stand
 * where it wants while recording is switched off and on.
 *
 *	begin NAME, end NAME	a region
 *	visit NAME N		N times both
 *	await NAME WORD		the same until recording is on, or off
 *	spin SECONDS		of CLOCK_MONOTONIC, without any event
 *	burn SECONDS		of the thread's CPU time, without any event
 *	stop, start		kymo_stop(), kymo_start()
 *	snapshot NAME
 *	fork NAME N		a child that visits NAME N times and ends, waited for
 *	child LINE...		the rest of the lines go to a forked child
 *	exec			the program begins again in its place
 *	thread NAME		a thread that begins NAME and waits for the next line "join"
 *	closeall, chroot PATH
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <kymo/kymo.h>

static char word[512], second[512];
static pthread_t thread;
static sem_t begun, may_end;

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void spin(clockid_t clock, double seconds)
{
	double end = now(clock) + seconds;

	while (now(clock) < end)
		continue;
}

static void visit(const char *name, int count)
{
	for (int i = 0; i < count; i++) {
		kymo_region_begin(name);
		kymo_region_end(name);
	}
}

static int is_recorded(const char *name)
{
	int result = kymo_region_begin(name);

	kymo_region_end(name);
	return result == KYMO_SUCCESS;
}

static void *run_thread(void *name)
{
	kymo_region_begin(name);
	sem_post(&begun);
	sem_wait(&may_end);
	return NULL;
}

static void begin_thread(void)
{
	sem_init(&begun, 0, 0);
	sem_init(&may_end, 0, 0);
	pthread_create(&thread, NULL, run_thread, word);
	sem_wait(&begun);
}

static void fork_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		visit(word, atoi(second));
		exit(0);
	}
	waitpid(child, NULL, 0);
}

static void become_child(void)
{
	pid_t child = fork();
	int status = 0;

	if (child == 0)
		return;
	waitpid(child, &status, 0);
	exit(WEXITSTATUS(status));
}

static int act(const char *command, char **argv)
{
	if (!strcmp(command, "begin"))
		kymo_region_begin(word);
	else if (!strcmp(command, "end"))
		kymo_region_end(word);
	else if (!strcmp(command, "visit"))
		visit(word, atoi(second));
	else if (!strcmp(command, "await"))
		while (is_recorded(word) != !strcmp(second, "on"))
			continue;
	else if (!strcmp(command, "spin"))
		spin(CLOCK_MONOTONIC, atof(word));
	else if (!strcmp(command, "burn"))
		spin(CLOCK_THREAD_CPUTIME_ID, atof(word));
	else if (!strcmp(command, "stop"))
		kymo_stop();
	else if (!strcmp(command, "start"))
		kymo_start();
	else if (!strcmp(command, "snapshot"))
		return kymo_snapshot(word) == KYMO_SUCCESS;
	else if (!strcmp(command, "fork"))
		fork_child();
	else if (!strcmp(command, "child"))
		become_child();
	else if (!strcmp(command, "exec"))
		execv("/proc/self/exe", argv);
	else if (!strcmp(command, "thread"))
		begin_thread();
	else if (!strcmp(command, "join"))
		return sem_post(&may_end) == 0 && pthread_join(thread, NULL) == 0;
	else if (!strcmp(command, "closeall"))
		return close_range(3, ~0u, 0) == 0;
	else if (!strcmp(command, "chroot"))
		return chroot(word) == 0;
	else
		return 0;
	return 1;
}

int main(int argc, char **argv)
{
	char line[1024], command[32];

	(void)argc;
	setvbuf(stdin, NULL, _IONBF, 0); /* exec() takes no line along */
	while (fgets(line, sizeof(line), stdin)) {
		word[0] = second[0] = '\0';
		if (sscanf(line, "%31s %511s %511s", command, word, second) < 1 ||
		    !act(command, argv)) {
			printf("failed: %s", line);
			return 3;
		}
		puts("ok");
		fflush(stdout);
	}
	return 0;
}

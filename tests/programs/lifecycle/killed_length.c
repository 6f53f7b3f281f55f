/* Says "ready", then calls functions or waits in one call until it is killed; or prints the
 * process id of a child that waits, and ends with it. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int sink;

__attribute__((noinline, noclone)) static void leaf(void)
{
	sink++;
}

__attribute__((noinline, noclone)) static void work(void)
{
	for (;;)
		leaf();
}

__attribute__((noinline, noclone)) static void rest(void)
{
	sleep(600);
	sink++;
}

int main(int argc, char **argv)
{
	const char *manner = argc > 1 ? argv[1] : "";
	pid_t child = strcmp(manner, "forks") == 0 ? fork() : -1;

	if (child > 0) {
		printf("%d\n", child);
		fflush(stdout);
		waitpid(child, NULL, 0);
		return 0;
	}
	for (int i = 0; i < 1000; i++)
		leaf();
	if (child < 0) {
		puts("ready");
		fflush(stdout);
	}
	if (strcmp(manner, "calls") == 0)
		work();
	rest();
	return 0;
}

/* Runs a program one instruction at a time, and counts how often each of its loops is entered.
 *
 *	loop_steps RANGES PROGRAM [ARGUMENT...]
 *
 * RANGES has lines "f ID START SIZE", "p ID START SIZE" (a part of function ID that lies elsewhere)
 * and "l ID START SIZE" (a loop of function ID).  No function calls itself.  What it does in a part
 * is neither inside nor outside of a loop.  Prints "START COUNT" of each loop on standard error. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANGES_MAX 1024

struct range {
	char kind;
	int function;
	unsigned long start, size;
	long count;
	int is_inside;
};

static struct range ranges[RANGES_MAX];
static size_t range_count;

static void read_ranges(const char *path)
{
	FILE *file = fopen(path, "r");
	struct range range = {0};

	if (!file)
		exit(3);
	while (range_count < RANGES_MAX && fscanf(file, " %c %d %lx %lx", &range.kind,
						  &range.function, &range.start, &range.size) == 4)
		ranges[range_count++] = range;
	fclose(file);
}

static void step(unsigned long at)
{
	const struct range *function = NULL;

	for (size_t i = 0; i < range_count && !function; i++)
		if (ranges[i].kind == 'f' && at - ranges[i].start < ranges[i].size)
			function = &ranges[i];
	if (!function)
		return;
	for (size_t i = 0; i < range_count; i++) {
		struct range *loop = &ranges[i];
		int is_inside = at - loop->start < loop->size;

		if (loop->kind != 'l' || loop->function != function->function)
			continue;
		if (at == function->start)
			loop->is_inside = 0;
		loop->count += is_inside && !loop->is_inside;
		loop->is_inside = is_inside;
	}
}

int main(int argc, char **argv)
{
	struct user_regs_struct registers;
	int status;
	pid_t child;

	if (argc < 3)
		return 2;
	read_ranges(argv[1]);
	child = fork();
	if (child == 0) {
		personality(ADDR_NO_RANDOMIZE);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[2], argv + 2);
		_exit(127);
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_GETREGS, child, 0, &registers) == 0)
			step(registers.rip);
		ptrace(PTRACE_SINGLESTEP, child, 0, 0);
	}
	for (size_t i = 0; i < range_count; i++)
		if (ranges[i].kind == 'l')
			fprintf(stderr, "%lx %ld\n", ranges[i].start, ranges[i].count);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

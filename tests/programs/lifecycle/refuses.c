/* Runs a program below a filter of system calls, about what is done to its memory:
 *
 *   refuses both|writes|executable PROGRAM [ARGUMENTS]
 *
 * both: whoever asks for memory that is writable and executable at once is killed.  writes:
 * pwrite64() is refused.  executable: so is making executable what was mapped otherwise. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define W_AND_X (PROT_WRITE | PROT_EXEC)

#define LOAD(what)		     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define ANSWER(what)		     BPF_STMT(BPF_RET | BPF_K, what)
#define GOES_ON_WHERE_NOT(value, by) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, by)
#define IS(value, by)		     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, by, 0)

/* Protections are the third argument of all three; the lower half of it comes first. */
static struct sock_filter both[] = {
	LOAD(nr),
	IS(SYS_mmap, 3),
	IS(SYS_mprotect, 2),
	IS(SYS_pkey_mprotect, 1),
	ANSWER(SECCOMP_RET_ALLOW),
	LOAD(args[2]),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, W_AND_X),
	GOES_ON_WHERE_NOT(W_AND_X, 1),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
	ANSWER(SECCOMP_RET_ALLOW),
};
static struct sock_filter writes[] = {
	LOAD(nr),
	GOES_ON_WHERE_NOT(SYS_pwrite64, 1),
	ANSWER(SECCOMP_RET_ERRNO | EPERM),
	ANSWER(SECCOMP_RET_ALLOW),
};
static struct sock_filter executable[] = {
	LOAD(nr),
	IS(SYS_mprotect, 2),
	IS(SYS_pkey_mprotect, 1),
	ANSWER(SECCOMP_RET_ALLOW),
	LOAD(args[2]),
	BPF_STMT(BPF_ALU | BPF_AND | BPF_K, PROT_EXEC),
	GOES_ON_WHERE_NOT(PROT_EXEC, 1),
	ANSWER(SECCOMP_RET_ERRNO | EACCES),
	ANSWER(SECCOMP_RET_ALLOW),
};

#define FILTER(name)                                                                               \
	{                                                                                          \
#name,                                                                             \
		{                                                                                  \
			sizeof(name) / sizeof(*(name)), name                                       \
		}                                                                                  \
	}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		struct sock_fprog filter;
	} filters[] = {FILTER(both), FILTER(writes), FILTER(executable)};

	for (size_t i = 0; argc > 2 && i < sizeof(filters) / sizeof(*filters); i++) {
		if (strcmp(filters[i].name, argv[1]) != 0)
			continue;
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filters[i].filter) != 0)
			return 125;
		execvp(argv[2], argv + 2);
	}
	return 126;
}

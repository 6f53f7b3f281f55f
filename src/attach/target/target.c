/* Inspects /proc before anything is read, so that obstacles can be named. */
#include "attach/target/target.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text/commandname.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_stat.h"
#include "platform/proc/proc_status.h"

#define PF_KTHREAD     UINT64_C(0x00200000)
#define PF_EXITING     UINT64_C(0x00000004)
#define CAP_SYS_PTRACE 19
#define ARGUMENTS_MAX  64 /* of a command line, to determine the program */

/* A whole small file, NUL-terminated; returns its length, or -1. */
static ssize_t target_read_text(const char *path, char *text, size_t size)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (file < 0)
		return -1;
	got = read(file, text, size - 1);
	close(file);
	if (got >= 0)
		text[got] = '\0';
	return got;
}

pid_t target_tracer(const struct target *target)
{
	long long tracer = proc_status_of(target->pid, 0, "TracerPid", 10);

	return tracer > 0 ? (pid_t)tracer : 0;
}

static bool has_capability(void)
{
	return (uint64_t)proc_status_of(PROC_SELF, 0, "CapEff", 16) >> CAP_SYS_PTRACE & 1;
}

static long long trace_scope(void)
{
	char text[16];

	if (target_read_text("/proc/sys/kernel/yama/ptrace_scope", text, sizeof(text)) <= 0)
		return 0;
	return strtoll(text, NULL, 10);
}

static bool is_in_container(void)
{
	char text[256];

	return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0 ||
	       getenv("container") || getenv("KUBERNETES_SERVICE_HOST") ||
	       (target_read_text("/proc/1/cgroup", text, sizeof(text)) > 0 &&
		(strstr(text, "docker") || strstr(text, "kubepods")));
}

/* What an administrator of the machine or of the container can change. */
static const char *target_lift(void)
{
	return is_in_container() ? "start the container with --cap-add=SYS_PTRACE"
				 : "use sudo, or give kymo the capability CAP_SYS_PTRACE";
}

static enum kymo_status explain_other_user(const struct target *target, uid_t owner,
					   struct problem *problem)
{
	return problem_set(problem, KYMO_SYSTEM,
			   "process %d belongs to another user (uid %u): run kymo as that user, or "
			   "with CAP_SYS_PTRACE (%s)",
			   (int)target->pid, (unsigned)owner, target_lift());
}

static enum kymo_status explain_scope(const struct target *target, long long scope,
				      struct problem *problem)
{
	if (scope >= 3)
		return problem_set(
			problem, KYMO_SYSTEM,
			"process %d cannot be read: kernel.yama.ptrace_scope is %lld, "
			"which forbids it to everybody until the next start of the machine",
			(int)target->pid, scope);
	if (scope == 2)
		return problem_set(
			problem, KYMO_SYSTEM,
			"process %d cannot be read: kernel.yama.ptrace_scope is 2, which "
			"asks for CAP_SYS_PTRACE: %s",
			(int)target->pid, target_lift());
	return problem_set(problem, KYMO_SYSTEM,
			   "process %d cannot be read: kernel.yama.ptrace_scope is 1, which allows "
			   "only processes that kymo started: 'sudo sysctl "
			   "kernel.yama.ptrace_scope=0', or %s",
			   (int)target->pid, target_lift());
}

/* The user that owns its files; -1 = not known. */
static long long target_user(pid_t pid)
{
	char text[PROC_STATUS_BYTES];

	return proc_read(pid, 0, "status", text, sizeof(text)) > 0
		       ? proc_status_column(text, "Uid", PROC_STATUS_LAST, 10)
		       : -1;
}

enum kymo_status target_explain(const struct target *target, int error, struct problem *problem)
{
	char path[64];
	struct stat status;
	long long user = target_user(target->pid), scope = trace_scope();

	if (error == ESRCH || !target_is_alive(target))
		return problem_set(problem, KYMO_ERROR, "process %d has ended", (int)target->pid);
	if (error != EPERM && error != EACCES)
		return problem_set(problem, KYMO_SYSTEM, "cannot read process %d: %s",
				   (int)target->pid, strerror(error));
	if (has_capability())
		return problem_set(problem, KYMO_SYSTEM,
				   "process %d cannot be read although kymo has CAP_SYS_PTRACE: a "
				   "security module or another user namespace is in the way; run "
				   "kymo in the container of the process, or outside of its own",
				   (int)target->pid);
	if (user >= 0 && (uid_t)user != geteuid() && geteuid() != 0)
		return explain_other_user(target, (uid_t)user, problem);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)target->pid);
	/* Files of a process that is not dumpable belong to root. */
	if (geteuid() != 0 && stat(path, &status) == 0 && status.st_uid != geteuid())
		return problem_set(problem, KYMO_SYSTEM,
				   "process %d has made itself unreadable (PR_SET_DUMPABLE, or its "
				   "program has privileges or cannot be read): only CAP_SYS_PTRACE "
				   "helps: %s",
				   (int)target->pid, target_lift());
	if (scope > 0)
		return explain_scope(target, scope, problem);
	return problem_set(problem, KYMO_SYSTEM,
			   "process %d has privileges that kymo lacks: reading it takes "
			   "CAP_SYS_PTRACE: %s",
			   (int)target->pid, target_lift());
}

/* line: the arguments, each NUL-terminated. */
static const char *name_of_line(const char *line, size_t length)
{
	const char *arguments[ARGUMENTS_MAX], *end = line + length;
	size_t count = 0;

	for (const char *at = line; at < end && count < ARGUMENTS_MAX; at += strlen(at) + 1)
		arguments[count++] = at;
	return command_name(arguments, count);
}

/* As the runtime names recordings: without ".py", nothing that needs quoting. */
static void target_name_program(struct target *target)
{
	char line[4096];
	const char *name;
	ssize_t length;
	size_t used = 0;

	length = proc_read(target->pid, 0, "cmdline", line, sizeof(line));
	if (length <= 0) {
		length = proc_read(target->pid, 0, "comm", line, sizeof(line));
		line[strcspn(line, "\n")] = '\0';
	}
	name = length > 0 ? name_of_line(line, (size_t)length) : "";
	for (; *name && used < sizeof(target->name) - 1 && strcmp(name, ".py") != 0; name++)
		target->name[used++] = (unsigned char)*name <= ' ' || *name == '/' ? '_' : *name;
	if (used == 0)
		target->name[used++] = '_';
	target->name[used] = '\0';
}

static void measure_age(struct target *target)
{
	char text[64];
	double now = 0;

	if (target_read_text("/proc/uptime", text, sizeof(text)) > 0)
		now = strtod(text, NULL);
	target->age_s = now - (double)target->start_ticks / (double)sysconf(_SC_CLK_TCK);
}

static bool is_foreign_pid_namespace(pid_t pid)
{
	char path[64], own[64], other[64];
	ssize_t own_length, other_length;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	own_length = readlink("/proc/self/ns/pid", own, sizeof(own));
	other_length = readlink(path, other, sizeof(other));
	return own_length > 0 && other_length > 0 &&
	       (own_length != other_length || memcmp(own, other, (size_t)own_length) != 0);
}

static enum kymo_status check_kind(pid_t pid, const uint64_t *fields, struct problem *problem)
{
	long long group = proc_status_of(pid, 0, "Tgid", 10);

	if (pid == getpid())
		return problem_set(problem, KYMO_USAGE, "process %d is kymo itself", (int)pid);
	if (fields[PROC_STAT_STATE] == 'Z' || fields[PROC_STAT_STATE] == 'X')
		return problem_set(problem, KYMO_ERROR,
				   "process %d has ended; only its parent has not taken note of it "
				   "(a zombie)",
				   (int)pid);
	if (fields[PROC_STAT_FLAGS] & PF_KTHREAD)
		return problem_set(problem, KYMO_ERROR,
				   "process %d is a thread of the kernel, not a program", (int)pid);
	if (group > 0 && group != pid)
		return problem_set(problem, KYMO_USAGE, "%d is a thread of process %lld", (int)pid,
				   group);
	return KYMO_OK;
}

static enum kymo_status check_bits(pid_t pid, struct problem *problem)
{
	char start[EI_NIDENT + 1] = "";

	/* If it cannot be read, a later read reports it. */
	if (proc_read(pid, 0, "exe", start, sizeof(start)) == EI_NIDENT &&
	    memcmp(start, ELFMAG, SELFMAG) == 0 && start[EI_CLASS] != ELFCLASS64)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "process %d is a 32-bit program; kymo reads 64-bit ones",
				   (int)pid);
	return KYMO_OK;
}

/* Read the first mapped byte: the kernel's error is the most precise one. */
static enum kymo_status check_permission(const struct target *target, struct problem *problem)
{
	char text[64];
	long got = proc_open(target->pid, 0, "mem", 0);

	if (got < 0)
		return target_explain(target, (int)-got, problem);
	close((int)got);
	got = proc_read(target->pid, 0, "maps", text, sizeof(text));
	return got < 0 ? target_explain(target, (int)-got, problem) : KYMO_OK;
}

enum kymo_status target_open(pid_t pid, struct target *target, struct problem *problem)
{
	uint64_t fields[PROC_STAT_FIELDS];
	enum kymo_status status;

	*target = (struct target){.pid = pid, .handle = -1};
	if (!proc_stat_read(pid, 0, fields))
		return problem_set(problem, KYMO_ERROR, "there is no process %d", (int)pid);
	status = check_kind(pid, fields, problem);
	if (status < 0)
		return status;
	target->parent = (pid_t)fields[PROC_STAT_PARENT];
	target->start_ticks = fields[PROC_STAT_START];
	target->handle = (int)syscall(SYS_pidfd_open, pid, 0);
	status = check_permission(target, problem);
	if (status == KYMO_OK)
		status = check_bits(pid, problem);
	if (status < 0) {
		target_close(target);
		return status;
	}
	target->has_own_pids = is_foreign_pid_namespace(pid);
	measure_age(target);
	target_name_program(target);
	return KYMO_OK;
}

void target_close(struct target *target)
{
	if (target->handle >= 0)
		close(target->handle);
	target->handle = -1;
}

bool target_is_alive(const struct target *target)
{
	struct pollfd ended = {.fd = target->handle, .events = POLLIN};
	uint64_t fields[PROC_STAT_FIELDS];

	if (target->handle >= 0)
		return poll(&ended, 1, 0) == 0;
	return proc_stat_read(target->pid, 0, fields) && fields[PROC_STAT_STATE] != 'Z' &&
	       fields[PROC_STAT_STATE] != 'X' && fields[PROC_STAT_START] == target->start_ticks;
}

bool target_is_ending(pid_t pid, pid_t thread)
{
	uint64_t fields[PROC_STAT_FIELDS];

	return !proc_stat_read(pid, thread, fields) || fields[PROC_STAT_STATE] == 'Z' ||
	       fields[PROC_STAT_STATE] == 'X' || (fields[PROC_STAT_FLAGS] & PF_EXITING);
}

/* Reading the names of threads from the kernel, which are at most 15 bytes long. */
#include "runtime/threads/threadname.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "runtime/hot.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/tables.h"

#define NAME_BYTES 16

static char program_name[NAME_BYTES];

void threadname_init(void)
{
	prctl(PR_GET_NAME, program_name);
}

static void threadname_set(struct kymo_thread *thread, const char *name)
{
	if (name[0] && strcmp(name, program_name) != 0)
		__atomic_store_n(&thread->record->name, string_intern(name), __ATOMIC_RELEASE);
}

static bool threadname_is_wanted(const struct kymo_thread *thread)
{
	return session.is_resident && !thread->is_fiber && thread->record->name == 0;
}

void threadname_inherit(struct kymo_thread *thread)
{
	char name[NAME_BYTES] = "";

	if (threadname_is_wanted(thread) && prctl(PR_GET_NAME, name) == 0)
		threadname_set(thread, name);
}

void threadname_look_up(struct kymo_thread *thread)
{
	char path[64], name[NAME_BYTES + 1];
	ssize_t length;
	int fd;

	if (!threadname_is_wanted(thread))
		return;
	snprintf(path, sizeof(path), "/proc/self/task/%llu/comm",
		 (unsigned long long)thread->record->system_id);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	length = read(fd, name, NAME_BYTES);
	close(fd);
	if (length <= 0)
		return;
	name[length] = '\0';
	name[strcspn(name, "\n")] = '\0';
	threadname_set(thread, name);
}

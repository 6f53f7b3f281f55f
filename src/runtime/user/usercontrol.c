/* Stopping, starting, naming threads, and copies of the recording while it is written. */
#include "runtime/user/usercontrol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemode.h"
#include "base/keeperrno.h"
#include "runtime/control/gate.h"
#include "runtime/runtime.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime/user/usercall.h"
#include "runtime/user/userstack.h"

#define SNAPSHOT_NUMBERS 100000u

int userapi_thread_label(const char *name)
{
	struct kymo_thread *thread;
	KEEP_ERRNO();
	int result;

	if (!name || !name[0])
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	if (!thread)
		return result;
	if (!store_lock())
		return KYMO_INTERNAL;
	__atomic_store_n(&thread->record->name, string_intern(name), __ATOMIC_RELEASE);
	store_unlock();
	return KYMO_SUCCESS;
}

static uint32_t stop_count; /* atomic; kymo_stop() less kymo_start() */

int userapi_stop(void)
{
	int result;

	if (!userapi_thread(&result))
		return result;
	if (__atomic_fetch_add(&stop_count, 1, __ATOMIC_ACQ_REL) > 0)
		return KYMO_SUCCESS;
	return gate_switch(false) ? KYMO_SUCCESS : KYMO_INTERNAL;
}

int userapi_start(void)
{
	uint32_t before = __atomic_load_n(&stop_count, __ATOMIC_RELAXED);
	int result;

	if (!userapi_thread(&result))
		return result;
	do
		if (before == 0)
			return KYMO_NOT_OPEN;
	while (!__atomic_compare_exchange_n(&stop_count, &before, before - 1, true,
					    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	if (before > 1)
		return KYMO_SUCCESS;
	return gate_switch(true) ? KYMO_SUCCESS : KYMO_INTERNAL;
}

int userapi_thread_stop(void)
{
	struct kymo_thread *thread;
	int result;

	thread = userapi_thread(&result);
	if (!thread)
		return result;
	kymo_user_pause(thread);
	return KYMO_SUCCESS;
}

int userapi_thread_start(void)
{
	struct kymo_thread *thread;
	int result;

	thread = userapi_thread(&result);
	if (!thread)
		return result;
	return kymo_user_resume(thread) ? KYMO_SUCCESS : KYMO_NOT_OPEN;
}

/* All of the recording up to its end.  What is being written then is at worst incomplete, as in
 * the recording of a killed program. */
static int usercontrol_copy_recording(int file, const char *recording, uint64_t end)
{
	uint64_t at = 0;

	while (at < end) {
		ssize_t written = write(file, recording + at, end - at);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return -1;
		at += (uint64_t)written;
	}
	return 0;
}

static int write_snapshot(const char *path)
{
	uint64_t end = __atomic_load_n(&store.header->end, __ATOMIC_ACQUIRE);
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, filemode_file()), result;

	if (file < 0)
		return -1;
	result = usercontrol_copy_recording(file, store.file.base, end);
	if (close(file) < 0 || result < 0) {
		unlink(path);
		return -1;
	}
	return 0;
}

/* DIRECTORY/snapshots/NAME/RECORDING: shared by the processes of a run that use one name. */
static int snapshot_named(const char *name)
{
	const char *base = strrchr(session.recording, '/');
	char path[sizeof(session.directory) + sizeof(session.program) + 512];
	int length = snprintf(path, sizeof(path), "%s/snapshots", session.directory);
	size_t room;

	if (!base || length < 0 || (size_t)length >= sizeof(path))
		return -1;
	mkdir(path, filemode_folder());
	room = sizeof(path) - (size_t)length;
	if ((size_t)snprintf(path + length, room, "/%s", name) >= room)
		return -1;
	mkdir(path, filemode_folder());
	if ((size_t)snprintf(path + length, room, "/%s%s", name, base) >= room)
		return -1;
	return write_snapshot(path);
}

static int snapshot_numbered(void)
{
	static uint32_t last; /* atomic */
	char name[16];

	for (unsigned i = 0; i < SNAPSHOT_NUMBERS; i++) {
		snprintf(name, sizeof(name), "%u", __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED));
		if (snapshot_named(name) == 0)
			return 0;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* One component of a path, not hidden. */
static bool usercontrol_is_file_name(const char *name)
{
	return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) <= 200;
}

int userapi_snapshot(const char *name)
{
	struct kymo_thread *thread;
	KEEP_ERRNO();
	int result;

	if (name && !usercontrol_is_file_name(name))
		return KYMO_BAD_VALUE;
	thread = userapi_thread(&result);
	if (!thread)
		return result;
	result = (name ? snapshot_named(name) : snapshot_numbered()) == 0 ? KYMO_SUCCESS
									  : KYMO_INTERNAL;
	return result;
}

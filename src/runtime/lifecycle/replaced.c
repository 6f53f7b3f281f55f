/* exec() leaves the recording of the old program open, and the process id to the new one.  A
 * recording with this process id that began after this process did must be that one: an earlier
 * process with the same id had ended before this one began. */
#include "runtime/lifecycle/replaced.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/format.h"
#include "platform/usage.h"
#include "runtime/lifecycle/session.h"

#define EXTENSION ".kymo"

/* "program-PID.kymo" or "program-PID-N.kymo"; only a first filter. */
static bool may_be_own(const char *name)
{
	const char *end = strstr(name, EXTENSION);
	char id[32];

	snprintf(id, sizeof(id), "-%d", (int)getpid());
	return name[0] != '.' && end && strstr(name, id);
}

static bool replaced_is_own(const struct kymo_header *header)
{
	uint64_t age = usage_clock_ns(CLOCK_REALTIME) - header->start_realtime_ns;

	return !memcmp(header->magic, KYMO_FORMAT_MAGIC, sizeof(header->magic)) &&
	       kymo_format_is_known(header) && header->state == KYMO_STATE_OPEN &&
	       header->pid == (uint32_t)getpid() && age <= usage_process_age_ns();
}

/* The name may be a link, to RECORD_PATH: never accept another user's file, nor a file with
 * several names. */
static bool is_own_recording(int fd)
{
	struct stat info;

	return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
	       info.st_nlink == 1;
}

/* True if it was the root's. */
static bool abandon(int directory, const char *name)
{
	static const uint32_t abandoned = KYMO_STATE_ABANDONED;
	int fd = openat(directory, name, O_RDWR | O_CLOEXEC);
	struct kymo_header header;
	bool is_root = false;

	if (fd < 0)
		return false;
	if (is_own_recording(fd) && pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
	    replaced_is_own(&header) &&
	    pwrite(fd, &abandoned, sizeof(abandoned), offsetof(struct kymo_header, state)) > 0)
		is_root = header.flags & KYMO_HEADER_ROOT;
	close(fd);
	return is_root;
}

bool replaced_take_over(void)
{
	DIR *stream = opendir(session.directory);
	const struct dirent *entry;
	bool is_root = false;

	while (stream && (entry = readdir(stream)))
		if (may_be_own(entry->d_name))
			is_root |= abandon(dirfd(stream), entry->d_name);
	if (stream)
		closedir(stream);
	return is_root;
}

/* Reads the headers of a run's recordings: has its first process written the outputs? A process
 * that called exec() has several recordings; the answer is for the run. */
#include "cli/results/finish_due.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/format.h"

static bool due_read_header(int directory, const char *name, struct kymo_header *header)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat file;
	bool is_read;

	if (fd < 0)
		return false;
	is_read = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
		  read(fd, header, sizeof(*header)) == sizeof(*header) &&
		  memcmp(header->magic, KYMO_FORMAT_MAGIC, sizeof(header->magic)) == 0;
	close(fd);
	return is_read;
}

enum finish_due finish_find_due(const char *directory, pid_t finisher)
{
	DIR *stream = opendir(directory);
	bool has_recorded = false, has_finished = false;
	const struct dirent *entry;
	struct kymo_header header;

	while (stream && !has_finished && (entry = readdir(stream))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".kymo") != 0 ||
		    !due_read_header(dirfd(stream), entry->d_name, &header) ||
		    header.pid != (uint32_t)finisher)
			continue;
		has_recorded = true;
		has_finished = header.flags & KYMO_HEADER_FINISHED;
	}
	if (stream)
		closedir(stream);
	if (has_finished)
		return FINISH_DONE;
	return has_recorded ? FINISH_DUE : FINISH_NOTHING;
}

/* The auxiliary vector has the addresses of the loader's list and of the program's name. */
#include "attach/target/targetnames.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/target/remote.h"
#include "platform/loadednames.h"

#define ENTRIES_MAX 64

struct targetnames {
	struct remote remote;
	struct loadednames names;
	char root[64], folder[64];
};

static bool read_start(pid_t pid, struct loadednames_start *start)
{
	Elf64_auxv_t entries[ENTRIES_MAX];
	char path[64];
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/auxv", (int)pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	got = file < 0 ? -1 : read(file, entries, sizeof(entries));
	if (file >= 0)
		close(file);
	for (ssize_t i = 0; i < got / (ssize_t)sizeof(*entries); i++) {
		if (entries[i].a_type == AT_PHDR)
			start->segments = entries[i].a_un.a_val;
		else if (entries[i].a_type == AT_PHNUM)
			start->segment_count = entries[i].a_un.a_val;
		else if (entries[i].a_type == AT_EXECFN)
			start->program = entries[i].a_un.a_val;
	}
	return start->segments != 0;
}

struct targetnames *targetnames_new(pid_t pid)
{
	struct loadednames_start start = {0};
	struct targetnames *names;

	if (!read_start(pid, &start))
		return NULL;
	names = malloc(sizeof(*names));
	if (!names)
		return NULL;
	snprintf(names->root, sizeof(names->root), "/proc/%d/root", (int)pid);
	snprintf(names->folder, sizeof(names->folder), "/proc/%d/cwd", (int)pid);
	remote_init(&names->remote, pid);
	loadednames_read(&names->names, &start, remote_read, &names->remote);
	return names;
}

void targetnames_free(struct targetnames *names)
{
	if (names)
		remote_release(&names->remote);
	free(names);
}

const char *targetnames_find(struct targetnames *names, const struct targetmodule *module)
{
	const struct loadednames_root place = {names->root, names->folder};

	const char *name;

	loadednames_find(&names->names, module->start, module->end, module->path, &place, &name);
	return name;
}

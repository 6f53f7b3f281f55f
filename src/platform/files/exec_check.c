/* Reading as much of an executable file as is needed to determine how it is started.  The kernel
 * reads the first 256 bytes of a script, and follows at most five nested scripts. */
#include "platform/files/exec_check.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/keeperrno.h"
#include "platform/processor.h"

#define HEAD_BYTES	 1024u /* may be on a small stack */
#define SCRIPT_BYTES	 256u
#define SCRIPT_DEPTH_MAX 5u
#define DEFAULT_PATH	 "/bin:/usr/bin"

union head { /* the first bytes of a file */
	unsigned char bytes[HEAD_BYTES];
	Elf64_Ehdr elf;
};

static bool is_own_loader(const char *loader)
{
	const char *name = path_base_name(loader);

	return !strncmp(name, "ld-linux", 8) || !strncmp(name, "ld64.so", 7) ||
	       !strncmp(name, "ld.so", 5);
}

/* size bytes at offset of the file, from the head if they are in it. */
static const void *check_bytes_at(int fd, const union head *head, size_t head_bytes,
				  uint64_t offset, size_t size, void *room)
{
	if (offset + size >= size && offset + size <= head_bytes)
		return head->bytes + offset;
	if (pread(fd, room, size, (off_t)offset) == (ssize_t)size)
		return room;
	return NULL;
}

/* The loader's path into name; false if the program has none. */
static bool find_loader(int fd, const union head *head, size_t head_bytes, char *name)
{
	const Elf64_Ehdr *elf = &head->elf;
	char room[EXEC_NAME_MAX];

	for (unsigned i = 0; i < elf->e_phnum; i++) {
		Elf64_Phdr segment_buffer;
		const Elf64_Phdr *segment =
			check_bytes_at(fd, head, head_bytes, elf->e_phoff + i * sizeof(Elf64_Phdr),
				       sizeof(Elf64_Phdr), &segment_buffer);
		const void *path;
		size_t size;

		if (!segment)
			return false;
		if (segment->p_type != PT_INTERP)
			continue;
		size = segment->p_filesz < EXEC_NAME_MAX - 1 ? segment->p_filesz
							     : EXEC_NAME_MAX - 1;
		path = check_bytes_at(fd, head, head_bytes, segment->p_offset, size, room);
		if (path)
			memcpy(name, path, size);
		name[path ? size : 0] = '\0';
		return true;
	}
	return false;
}

/* As the kernel decides about AT_SECURE; on a mount without privileges it is false. */
static bool is_privileged(int fd, const struct stat *status)
{
	bool has_user = (status->st_mode & S_ISUID) && status->st_uid != getuid();
	bool has_group = (status->st_mode & S_ISGID) && (status->st_mode & S_IXGRP) &&
			 status->st_gid != getgid();
	bool has_capabilities = getuid() != 0 && fgetxattr(fd, "security.capability", NULL, 0) > 0;
	struct statvfs volume;

	if (!has_user && !has_group && !has_capabilities)
		return false;
	return fstatvfs(fd, &volume) < 0 || !(volume.f_flag & ST_NOSUID);
}

static enum exec_obstacle judge_elf(int fd, const union head *head, size_t head_bytes,
				    const struct stat *status, struct exec_facts *facts)
{
	facts->machine = head->elf.e_machine;
	if (PROCESSOR_MACHINE != EM_NONE && facts->machine != PROCESSOR_MACHINE)
		return facts->machine == PROCESSOR_SMALL_MACHINE ? EXEC_OTHER_BITS : EXEC_FOREIGN;
	if (head->bytes[EI_CLASS] != ELFCLASS64)
		return EXEC_OTHER_BITS;
	if (head_bytes < sizeof(Elf64_Ehdr) || head->elf.e_phentsize != sizeof(Elf64_Phdr))
		return EXEC_NO_FORMAT;
	if (!find_loader(fd, head, head_bytes, facts->name))
		return EXEC_STATIC;
	facts->is_musl = strstr(facts->name, "ld-musl") != NULL;
	if (facts->name[0] && !is_own_loader(facts->name))
		return EXEC_OTHER_LIBC;
	return is_privileged(fd, status) ? EXEC_PRIVILEGED : EXEC_NONE;
}

/* "#! interpreter argument": the interpreter into name; false if none is named. */
static bool parse_script(const union head *head, size_t head_bytes, char *name)
{
	const char *text = (const char *)head->bytes + 2;
	const char *limit =
		(const char *)head->bytes + (head_bytes < SCRIPT_BYTES ? head_bytes : SCRIPT_BYTES);
	size_t length = 0;

	while (text < limit && (*text == ' ' || *text == '\t'))
		text++;
	while (text + length < limit && !strchr(" \t\r\n", text[length]))
		length++;
	if (length == 0 || length >= EXEC_NAME_MAX)
		return false;
	memcpy(name, text, length);
	name[length] = '\0';
	return true;
}

/* Classify the file.  True: it is a script, and facts->name is the next file. */
static bool check_file(int fd, struct exec_facts *facts)
{
	union head head;
	struct stat status;
	ssize_t bytes;

	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		facts->obstacle = EXEC_NOT_EXECUTABLE;
		return false;
	}
	bytes = pread(fd, head.bytes, sizeof(head.bytes), 0);
	if (bytes < 0) {
		facts->error = errno;
		return false;
	}
	memset(head.bytes + bytes, 0, sizeof(head.bytes) - (size_t)bytes);
	if (!memcmp(head.bytes, ELFMAG, SELFMAG)) {
		facts->obstacle = judge_elf(fd, &head, (size_t)bytes, &status, facts);
	} else if (memcmp(head.bytes, "#!", 2) != 0) {
		facts->obstacle = EXEC_NO_FORMAT;
	} else if (!parse_script(&head, (size_t)bytes, facts->name)) {
		facts->obstacle = EXEC_NO_INTERPRETER;
	} else {
		facts->script_depth++;
		return true;
	}
	return false;
}

/* True: inspect facts->name next. */
static bool check_path(const char *path, struct exec_facts *facts)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is_script = false;

	if (fd >= 0) {
		is_script = check_file(fd, facts);
		close(fd);
	} else {
		facts->error = errno;
		if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG)
			facts->obstacle = facts->script_depth ? EXEC_NO_INTERPRETER : EXEC_MISSING;
	}
	if (facts->obstacle != EXEC_MISSING && facts->obstacle != EXEC_NO_INTERPRETER &&
	    access(path, X_OK) < 0 && errno == EACCES)
		facts->obstacle = EXEC_NOT_EXECUTABLE;
	return is_script && facts->obstacle == EXEC_NONE;
}

static void check_follow(struct exec_facts *facts)
{
	char path[EXEC_NAME_MAX];

	do {
		if (facts->script_depth > SCRIPT_DEPTH_MAX) {
			facts->obstacle = EXEC_NO_FORMAT;
			return;
		}
		memcpy(path, facts->name, sizeof(path));
	} while (check_path(path, facts));
}

void exec_inspect(const char *path, struct exec_facts *facts_out)
{
	KEEP_ERRNO();

	memset(facts_out, 0, sizeof(*facts_out));
	if (check_path(path, facts_out))
		check_follow(facts_out);
}

void exec_inspect_descriptor(int fd, struct exec_facts *facts_out)
{
	KEEP_ERRNO();

	memset(facts_out, 0, sizeof(*facts_out));
	if (check_file(fd, facts_out))
		check_follow(facts_out);
}

uint16_t exec_own_machine(void)
{
	return PROCESSOR_MACHINE;
}

const char *exec_obstacle_text(enum exec_obstacle obstacle)
{
	switch (obstacle) {
	case EXEC_NONE:
		break;
	case EXEC_MISSING:
		return "does not exist";
	case EXEC_NOT_EXECUTABLE:
		return "cannot be executed";
	case EXEC_NO_INTERPRETER:
		return "is a script without an interpreter";
	case EXEC_NO_FORMAT:
		return "is not a program";
	case EXEC_FOREIGN:
		return "is made for another kind of processor";
	case EXEC_OTHER_BITS:
		return "is a 32-bit program";
	case EXEC_STATIC:
		return "is statically linked";
	case EXEC_OTHER_LIBC:
		return "uses another C library";
	case EXEC_PRIVILEGED:
		return "gains privileges when it starts";
	case EXEC_OUT_OF_REACH:
		return "starts where Kymo's files cannot be reached";
	}
	return "can be recorded";
}

bool exec_rejects_preload(enum exec_obstacle obstacle)
{
	return obstacle == EXEC_FOREIGN || obstacle == EXEC_OTHER_BITS ||
	       obstacle == EXEC_OTHER_LIBC || obstacle == EXEC_OUT_OF_REACH;
}

static bool check_is_program(const char *path, int *result)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return false;
	*result = EACCES;
	return S_ISREG(status.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

/* folder/name into found; false if it does not fit. */
static bool check_join(const char *folder, size_t length, const char *name, char *found,
		       size_t size)
{
	size_t rest = strlen(name) + 1, slash = length > 0;

	if (length + slash + rest > size)
		return false;
	memcpy(found, folder, length);
	if (slash)
		found[length] = '/';
	memcpy(found + length + slash, name, rest);
	return true;
}

static int check_search(const char *name, const char *path, char *found, size_t size)
{
	int result = ENOENT;

	for (;; path++) {
		size_t length = strcspn(path, ":");

		if (check_join(path, length, name, found, size) && check_is_program(found, &result))
			return 0;
		path += length;
		if (!*path)
			return result;
	}
}

int exec_search(const char *name, const char *path, char *found, size_t size)
{
	KEEP_ERRNO();
	int result;

	if (!*name)
		return ENOENT;
	if (strchr(name, '/')) {
		if (!check_join("", 0, name, found, size))
			return ENAMETOOLONG;
		return 0;
	}
	result = check_search(name, path ? path : DEFAULT_PATH, found, size);
	return result;
}

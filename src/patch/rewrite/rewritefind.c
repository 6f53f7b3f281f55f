/* Detecting a rewritten file by its head, and its properties. */
#include "patch/rewrite/rewritefind.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "patch/rewrite/rewrite.h"
#include "patch/rewrite/rewritehead.h"

#define PHDRS_MAX	1024u
#define ENVIRONMENT_MAX (1u << 20)

static bool rewritefind_read_at(int fd, void *bytes, size_t size, uint64_t offset)
{
	return offset < INT64_MAX && pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* The offset of the last PT_LOAD segment, which rewriting adds. */
static bool find_segment(int fd, uint64_t *offset_out, uint64_t *size_out)
{
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	bool is_there = false;

	if (!rewritefind_read_at(fd, &ehdr, sizeof(ehdr), 0) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) != 0 || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_phentsize != sizeof(phdr) || ehdr.e_phnum > PHDRS_MAX)
		return false;
	for (uint64_t i = 0; i < ehdr.e_phnum; i++) {
		if (!rewritefind_read_at(fd, &phdr, sizeof(phdr), ehdr.e_phoff + i * sizeof(phdr)))
			return false;
		if (phdr.p_type != PT_LOAD)
			continue;
		*offset_out = phdr.p_offset;
		*size_out = phdr.p_filesz;
		is_there = true;
	}
	return is_there;
}

static bool read_environment(int fd, uint64_t segment, const struct rewrite_head *head,
			     struct rewrite_found *found)
{
	size_t size = head->environment_size;
	char *text;

	if (size > ENVIRONMENT_MAX || head->environment_offset > head->size ||
	    size > head->size - head->environment_offset)
		return false;
	text = calloc(1, size + 2);
	if (!text)
		return false;
	if (size > 0 && !rewritefind_read_at(fd, text, size, segment + head->environment_offset)) {
		free(text);
		return false;
	}
	found->environment = text;
	found->environment_size = size;
	return true;
}

bool rewrite_find(const char *path, struct rewrite_found *found_out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct rewrite_found found = {0};
	struct rewrite_head head;
	uint64_t offset = 0, size = 0;
	bool is_there;

	if (fd < 0)
		return false;
	is_there = find_segment(fd, &offset, &size) && size >= sizeof(head) &&
		   rewritefind_read_at(fd, &head, sizeof(head), offset) &&
		   memcmp(head.magic, REWRITE_MAGIC, sizeof(head.magic)) == 0 &&
		   head.version == REWRITE_VERSION && head.size <= size;
	if (is_there && found_out) {
		found.cost = head.cost;
		found.is_serialized = head.variant & PLAN_VARIANT_SERIALIZED;
		found.taken = head.taken;
		is_there = read_environment(fd, offset, &head, &found);
		if (is_there)
			*found_out = found;
	}
	close(fd);
	return is_there;
}

void rewrite_found_release(struct rewrite_found *found)
{
	free(found->environment);
	*found = (struct rewrite_found){0};
}

/* Any bytes as a file that is to be rewritten, with a plan that fits its image and writes to
 * where it begins: it is refused, or all of it is read within its bounds.  Built with a sanitizer
 * this finds what reads or writes outside. */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "patch/rewrite/rewrite.h"
#include "patch/rewrite/rewritefind.h"

#define CODE_BYTES 4096u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct made_plan {
	_Alignas(16) struct plan_header header;
	_Alignas(16) struct plan_function functions[1];
	_Alignas(16) struct plan_write writes[1];
	_Alignas(16) uint32_t fixups[4];
	_Alignas(16) unsigned char frames[16];
	_Alignas(16) char names[16];
	_Alignas(4096) unsigned char code[CODE_BYTES];
};

/* The end of the last segment, and the bytes at the beginning of the first one with code. */
static uint64_t image_of(const uint8_t *data, size_t size, struct plan_write *write)
{
	uint64_t end = 0;
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;

	if (size < sizeof(ehdr))
		return 0;
	memcpy(&ehdr, data, sizeof(ehdr));
	for (unsigned i = 0; i < ehdr.e_phnum; i++) {
		uint64_t at = ehdr.e_phoff + i * sizeof(phdr);

		if (at > size || size - at < sizeof(phdr))
			break;
		memcpy(&phdr, data + at, sizeof(phdr));
		if (phdr.p_type != PT_LOAD)
			continue;
		end = phdr.p_vaddr + phdr.p_memsz;
		if ((phdr.p_flags & PF_X) && write->size == 0 && phdr.p_offset < size) {
			write->offset = (uint32_t)phdr.p_vaddr;
			write->size = 1;
			write->before[0] = write->after[0] = data[phdr.p_offset];
		}
	}
	return (end + CODE_BYTES - 1) & ~(uint64_t)(CODE_BYTES - 1);
}

static void make_plan(struct made_plan *made, const uint8_t *data, size_t size, struct plan *plan)
{
	struct plan_header *header = &made->header;

	memset(made, 0, sizeof(*made));
	*header = (struct plan_header){.magic = PLAN_MAGIC, .version = PLAN_VERSION};
	header->machine = EM_X86_64;
	header->cost = PATCH_COST_FULL;
	header->size = sizeof(*made);
	header->image_end = header->text_end = image_of(data, size, &made->writes[0]);
	header->code_address = header->image_end + (1u << 29);
	header->code_size = CODE_BYTES;
	header->code_offset = offsetof(struct made_plan, code);
	header->vector_address = header->code_address + CODE_BYTES;
	header->switch_address = header->vector_address + PATCH_SWITCH_DISTANCE;
	header->frames_address = header->switch_address + PATCH_SWITCH_SIZE;
	header->functions_offset = offsetof(struct made_plan, functions);
	header->writes_offset = offsetof(struct made_plan, writes);
	header->function_count = header->write_count = 1;
	header->fixups_offset = offsetof(struct made_plan, fixups);
	header->frames_offset = header->header_offset = offsetof(struct made_plan, frames);
	header->names_offset = offsetof(struct made_plan, names);
	header->names_size = sizeof(made->names);
	made->functions[0].write_count = 1;
	made->functions[0].way = PLAN_WAY_ENTRIES;
	*plan = (struct plan){.bytes = (const unsigned char *)made,
			      .header = header,
			      .functions = made->functions,
			      .writes = made->writes,
			      .fixups = made->fixups,
			      .code = made->code,
			      .frames = made->frames,
			      .frames_header = made->frames,
			      .names = made->names};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct made_plan *made;
	struct problem problem;
	struct plan plan;
	char path[40];
	int fd;

	if (!made)
		made = aligned_alloc(CODE_BYTES, sizeof(*made));
	fd = memfd_create("input", MFD_CLOEXEC);
	if (!made || fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	make_plan(made, data, size, &plan);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rewrite_file(path, "/dev/null", &plan, NULL, NULL, NULL, &problem);
	rewrite_find(path, NULL);
	close(fd);
	return 0;
}

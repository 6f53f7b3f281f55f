/* What the tests of rewriting files share: this very program, and one of its functions. */
#ifndef KYMO_REWRITE_FIXTURE_H
#define KYMO_REWRITE_FIXTURE_H

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "patch/apply/patchapplied.h"
#include "patch/apply/patchapply_rewritten.h"
#include "patch/read/planread.h"
#include "patch/rewrite/rewrite.h"
#include "patch/rewrite/rewritehead.h"

#define ANSWER_BYTES 10u

int rewrite_answer(void);
__asm__(".text\n.p2align 4\n.globl rewrite_answer\n.type rewrite_answer, @function\n"
	"rewrite_answer:\n.cfi_startproc\nmov $41, %eax\nnop\nnop\nnop\nnop\nret\n.cfi_endproc\n"
	".size rewrite_answer, . - rewrite_answer\n");

struct made_plan {
	_Alignas(16) struct plan_header header;
	_Alignas(16) struct plan_function functions[1];
	_Alignas(16) struct plan_write writes[1];
	_Alignas(16) uint32_t fixups[4];
	_Alignas(16) unsigned char frames[56];
	_Alignas(16) char names[32];
	_Alignas(4096) unsigned char code[4096];
};

static struct made_plan *made;
static struct plan plan;
static char folder[] = "/tmp/kymo-rewrite-XXXXXX";
static char output[128];

extern const char __ehdr_start[];

static inline uint64_t own_address(const void *place)
{
	return (uint64_t)((uintptr_t)place - (uintptr_t)__ehdr_start);
}

static inline void put32(unsigned char *at, uint64_t value)
{
	uint32_t low = (uint32_t)value;

	memcpy(at, &low, sizeof(low));
}

/* movzbl switch(%rip), %eax ; add $41, %eax ; jmp behind the jump */
static inline void make_code(uint64_t code, uint64_t gate, uint64_t function)
{
	static const unsigned char bytes[] = {0x0f, 0xb6, 0x05, 0, 0, 0, 0, 0x83,
					      0xc0, 0x29, 0xe9, 0, 0, 0, 0};

	memset(made->code, 0xcc, sizeof(made->code));
	memcpy(made->code, bytes, sizeof(bytes));
	put32(made->code + 3, gate - (code + 7));
	put32(made->code + 11, function + 5 - (code + 15));
	made->fixups[0] = 11;
}

/* One common entry and one description: the return address on top of the stack. */
static inline void make_frames(uint64_t frames, uint64_t code)
{
	static const unsigned char bytes[56] = {20,   0, 0, 0,	  0,  0, 0,    0,    1, 'z',
						'R',  0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8,
						0x90, 1, 0, 0,	  24, 0, 0,    0,    28};

	memcpy(made->frames, bytes, sizeof(bytes));
	put32(made->frames + 32, code - (frames + 32));
	put32(made->frames + 36, 16);
}

static inline void make_plan(uint64_t image_end)
{
	uint64_t code = image_end + (1u << 30), function = own_address((void *)rewrite_answer);
	struct plan_header *header;

	free(made);
	made = aligned_alloc(4096, sizeof(*made));
	assert_non_null(made);
	memset(made, 0, sizeof(*made));
	header = &made->header;
	*header = (struct plan_header){
		.magic = PLAN_MAGIC,
		.version = PLAN_VERSION,
		.machine = EM_X86_64,
		.cost = PATCH_COST_FULL,
		.size = sizeof(*made),
		.image_end = image_end,
		.text_end = image_end,
		.code_address = code,
		.code_size = sizeof(made->code),
		.code_offset = offsetof(struct made_plan, code),
		.vector_address = code + sizeof(made->code),
		.switch_address = code + sizeof(made->code) + PATCH_SWITCH_DISTANCE,
		.functions_offset = offsetof(struct made_plan, functions),
		.function_count = 1,
		.writes_offset = offsetof(struct made_plan, writes),
		.write_count = 1,
		.fixups_offset = offsetof(struct made_plan, fixups),
		.fixup_count = 1,
		.frames_offset = offsetof(struct made_plan, frames),
		.frames_size = sizeof(made->frames),
		.header_offset = offsetof(struct made_plan, frames),
		.names_offset = offsetof(struct made_plan, names),
		.names_size = sizeof(made->names),
	};
	header->frames_address = header->switch_address + PATCH_SWITCH_SIZE;
	strcpy(made->names + 1, "rewrite_answer");
	made->functions[0] = (struct plan_function){.address = function,
						    .size = ANSWER_BYTES,
						    .name = 1,
						    .write_count = 1,
						    .way = PLAN_WAY_ENTRIES};
	made->writes[0] =
		(struct plan_write){.offset = (uint32_t)function, .size = 5, .distance_at = 1};
	memcpy(made->writes[0].before, "\xb8\x29\0\0\0", 5);
	made->writes[0].after[0] = 0xe9;
	put32(made->writes[0].after + 1, code - (function + 5));
	make_code(code, header->switch_address, function);
	make_frames(header->frames_address, code);
	header->checksum = plan_checksum(made, sizeof(*made));
	assert_true(plan_read(made, sizeof(*made), false, &plan));
}

static inline unsigned char *read_whole(const char *path, size_t *size_out)
{
	FILE *stream = fopen(path, "rb");
	unsigned char *bytes;
	long size;

	assert_non_null(stream);
	fseek(stream, 0, SEEK_END);
	size = ftell(stream);
	rewind(stream);
	bytes = malloc((size_t)size + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, stream), size);
	fclose(stream);
	*size_out = (size_t)size;
	return bytes;
}

static inline void write_whole(const char *path, const unsigned char *bytes, size_t size)
{
	FILE *stream = fopen(path, "wb");

	assert_non_null(stream);
	assert_int_equal(fwrite(bytes, 1, size, stream), size);
	fclose(stream);
	chmod(path, 0755);
}

static inline uint64_t image_end_of(const char *path)
{
	uint64_t end = 0;
	size_t size;
	unsigned char *bytes = read_whole(path, &size);
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)(const void *)bytes;
	const Elf64_Phdr *phdr = (const Elf64_Phdr *)(const void *)(bytes + ehdr->e_phoff);

	for (unsigned i = 0; i < ehdr->e_phnum; i++)
		if (phdr[i].p_type == PT_LOAD)
			end = phdr[i].p_vaddr + phdr[i].p_memsz;
	free(bytes);
	return (end + 4095) & ~(uint64_t)4095;
}

static char itself[512];

static inline int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(output, sizeof(output), "%s/out", folder);
	make_plan(image_end_of(itself));
	return 0;
}

static inline int tear_down(void **state)
{
	char command[160];

	(void)state;
	free(made);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static inline int answer_of(const char *path)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		execl(path, path, "answer", (char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* In the rewritten program: the collector's pages are laid over vector and switch. */
static inline int attach_segment(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct patch_vector vector = {.first_id = 77};
	const ElfW(Phdr) *last = NULL;
	struct patch_applied applied;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			last = &info->dlpi_phdr[i];
	if (!last ||
	    patchapply_attach_rewritten(&applied, (const void *)(info->dlpi_addr + last->p_vaddr),
					last->p_memsz, &vector) != 0)
		return 1;
	if (applied.vector->first_id != 77 || applied.gate->is_off != 1)
		return 1;
	applied.gate->is_off = 3;
	*(bool *)context = true;
	return 1; /* the program itself comes first */
}

#endif

/* What the tests of putting plans into memory share: a module of one page and a plan by hand. */
#ifndef KYMO_PATCHAPPLY_FIXTURE_H
#define KYMO_PATCHAPPLY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "patch/apply/patchapplied.h"
#include "patch/apply/patchapply.h"
#include "platform/code/codespace.h"
#include "patch/apply/patchapply_texts.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_maps.h"

#define PAGE	   4096u
#define TEXT	   UINT64_C(0x1000) /* of the file */
#define CODE	   UINT64_C(0x40000000)
#define FUNCTIONS  2u
#define ENTRY_SIZE 16u

struct made { /* a module in memory and its plan */
	unsigned char *text;
	struct patch_applied applied;
	struct plan_header header;
	struct plan_function functions[FUNCTIONS];
	struct plan_write writes[FUNCTIONS];
	uint32_t fixups[1];
	unsigned char code[PAGE], is_written[FUNCTIONS];
};

/* mov eax, value; ret; int3 … */
static inline void put_function(unsigned char *at, uint32_t value)
{
	memset(at, 0xcc, ENTRY_SIZE);
	at[0] = 0xb8;
	memcpy(at + 1, &value, sizeof(value));
	at[5] = 0xc3;
}

/* The trampoline: mov eax, 7; jmp to the function's ret. */
static inline void make_code(struct made *made)
{
	int32_t distance = (int32_t)(TEXT + 5 - (CODE + 10));

	made->code[0] = 0xb8;
	made->code[1] = 7;
	made->code[5] = 0xe9;
	memcpy(made->code + 6, &distance, sizeof(distance));
	made->fixups[0] = 6;
}

static inline void make_writes(struct made *made)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		struct plan_write *write = &made->writes[i];
		uint64_t address = TEXT + i * ENTRY_SIZE;
		int32_t distance = (int32_t)(CODE - (address + 5));

		made->functions[i] = (struct plan_function){.address = address,
							    .first_write = i,
							    .write_count = 1,
							    .way = PLAN_WAY_ENTRIES};
		write->offset = (uint32_t)(address - TEXT);
		write->size = 5;
		write->distance_at = 1;
		memcpy(write->before, made->text + i * ENTRY_SIZE, 5);
		write->after[0] = 0xe9;
		memcpy(write->after + 1, &distance, sizeof(distance));
	}
}

static inline struct made *make(uint64_t text_at)
{
	struct made *made = calloc(1, sizeof(*made));

	made->text = mmap((void *)(uintptr_t)text_at, PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(made->text != MAP_FAILED);
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put_function(made->text + i * ENTRY_SIZE, 40 + i);
	assert_int_equal(mprotect(made->text, PAGE, PROT_READ | PROT_EXEC), 0);
	make_code(made);
	make_writes(made);
	made->header = (struct plan_header){.image_start = TEXT,
					    .image_end = TEXT + PAGE,
					    .text_start = TEXT,
					    .text_end = TEXT + PAGE,
					    .code_address = CODE,
					    .code_size = PAGE,
					    .vector_address = CODE + PAGE,
					    .switch_address = CODE + PAGE + PATCH_SWITCH_DISTANCE,
					    .frames_address = CODE + PAGE + PATCH_SWITCH_DISTANCE +
							      PATCH_SWITCH_SIZE,
					    .function_count = FUNCTIONS,
					    .write_count = FUNCTIONS,
					    .fixup_count = 1};
	made->applied.plan = (struct plan){.header = &made->header,
					   .functions = made->functions,
					   .writes = made->writes,
					   .fixups = made->fixups,
					   .code = made->code};
	made->applied.bias = (uint64_t)(uintptr_t)made->text - TEXT;
	made->applied.is_written = made->is_written;
	return made;
}

static inline void drop(struct made *made)
{
	patchapply_unmap(&made->applied);
	munmap(made->text, PAGE);
	free(made);
}

static inline int call(const struct made *made, unsigned function)
{
	int (*code)(void);
	void *at = made->text + function * ENTRY_SIZE;

	memcpy(&code, &at, sizeof(code));
	return code();
}

static inline bool find_protection(const struct proc_map *mapping, const char *path, void *context)
{
	uint64_t *wanted = context;

	(void)path;
	if (*wanted < mapping->start || *wanted >= mapping->end)
		return true;
	*wanted = (uint64_t)mapping->protection;
	return false;
}

static inline int protection_of(const void *address)
{
	uint64_t answer = (uint64_t)(uintptr_t)address;

	assert_int_equal(proc_maps_each(PROC_SELF, NULL, 0, find_protection, &answer), 0);
	return (int)answer;
}

static const struct patch_vector vector = {.first_id = 16};

#endif

/* Any bytes as an ELF file: whatever it says, nothing outside of it is read, and what comes
 * out is whole: writes lie in the code, and no two of them share a byte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchanalyse.h"

#define JUMP  5u
#define SHORT 2u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct writes {
	const struct patch_module *module;
	uint8_t *bytes; /* of the code: 1 = written */
};

static void demand(bool is_true)
{
	if (!is_true)
		abort();
}

static void write_at(struct writes *writes, uint64_t address, uint64_t size)
{
	demand(patchmodule_at(writes->module, address, size) != NULL);
	for (uint64_t at = address; at < address + size; at++) {
		demand(at >= writes->module->targets_start && at < writes->module->targets_end);
		demand(!writes->bytes[at - writes->module->targets_start]++);
		demand(at == address || !patchmodule_is_target(writes->module, at));
	}
}

static void look_at_exits(struct writes *writes, const struct patch_function *function,
			  uint32_t index)
{
	const struct patch_module *module = writes->module;

	demand((size_t)function->first_exit + function->exit_count <= module->exit_count);
	for (uint32_t i = 0; i < function->exit_count; i++) {
		const struct patch_exit *exit = &module->exits[function->first_exit + i];

		demand(exit->function == index);
		if (exit->displaced == 0) {
			demand(exit->instruction >= function->entry.at &&
			       exit->instruction < function->entry.at + function->entry.displaced);
			continue;
		}
		demand(exit->displaced >= JUMP && exit->code <= exit->displaced);
		demand(exit->instruction >= exit->at && exit->instruction < exit->at + exit->code);
		write_at(writes, exit->at, JUMP);
	}
}

static void look(const struct patch_module *module)
{
	struct writes writes = {module, calloc(module->targets_end - module->targets_start, 1)};

	demand(writes.bytes != NULL);
	for (uint32_t i = 0; i < module->function_count; i++) {
		const struct patch_function *function = &module->functions[i];
		bool is_cave = function->entry.way == PATCH_ENTRY_CAVE;

		demand(i == 0 || function->address > module->functions[i - 1].address);
		demand((function->way == PLAN_WAY_NONE || function->way == PLAN_WAY_HOOK) ==
		       (function->entry.way == PATCH_ENTRY_NONE));
		demand(function->way != PLAN_WAY_NONE || function->reason != PLAN_FINE);
		if (function->way == PLAN_WAY_NONE || function->way == PLAN_WAY_HOOK)
			continue;
		write_at(&writes, function->entry.at, is_cave ? SHORT : JUMP);
		if (is_cave)
			write_at(&writes, function->entry.cave, JUMP);
		look_at_exits(&writes, function, i);
	}
	free(writes.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct patch_module *module;
	struct problem problem;
	char path[64];

	demand(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (patchmodule_open(path, &module, &problem) == KYMO_OK) {
		if (patchanalyse(module, &problem) == KYMO_OK)
			look(module);
		patchmodule_close(module);
	}
	close(fd);
	return 0;
}

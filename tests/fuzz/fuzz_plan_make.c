/* Any bytes as an ELF file, as far as a plan: what is made of it can be read again, and is the
 * same the second time.  Frame descriptions are followed and said anew on the way. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "patch/analyse/patchanalyse.h"
#include "patch/plan/planmake.h"
#include "patch/read/planread.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool is_true)
{
	if (!is_true)
		abort();
}

static void make(struct patch_module *module, const struct planmake_options *options)
{
	unsigned char *bytes, *again;
	size_t size, own_entry_size;
	struct problem problem;
	struct plan plan;

	if (plan_make(module, options, &bytes, &size, &problem) != KYMO_OK)
		return;
	demand(plan_read(bytes, size, false, &plan));
	demand(plan_make(module, options, &again, &own_entry_size, &problem) == KYMO_OK);
	demand(size == own_entry_size && memcmp(bytes, again, size) == 0);
	free(bytes);
	free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct planmake_options options = {.no_calls = size % 2 != 0};
	struct patch_module *module;
	struct problem problem;
	char path[64];

	demand(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (patchmodule_open(path, &module, &problem) == KYMO_OK) {
		module->wants_copies = true;
		if (patchanalyse(module, &problem) == KYMO_OK)
			for (options.kind.cost = PATCH_COST_COUNTS;
			     options.kind.cost <= PATCH_COST_FULL; options.kind.cost++) {
				options.kind.variant = options.kind.cost == PATCH_COST_FULL
							       ? PLAN_VARIANT_LOOPS
							       : 0;
				make(module, &options);
				options.kind.variant |= PLAN_VARIANT_THROTTLE;
				make(module, &options);
			}
		patchmodule_close(module);
	}
	close(fd);
	return 0;
}

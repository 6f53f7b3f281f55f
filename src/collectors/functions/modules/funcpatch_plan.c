/* Plans and choices from the cache. */
#include "collectors/functions/modules/funcpatch_plan.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_found.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "patch/plan/plan.h"
#include "patch/read/planread.h"
#include "patch/read/planread_api.h"
#include "patch/read/planreadpath.h"
#include "platform/files/nocancel_io.h"
#include "platform/processor.h"

/* Files that other users may write are not loaded. */
static bool is_trusted(const struct stat *status)
{
	return S_ISREG(status->st_mode) && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
	       (status->st_uid == geteuid() || status->st_uid == 0);
}

static void *plan_map_file(int descriptor, size_t *size_out)
{
	struct stat status;
	void *bytes;

	if (fstat(descriptor, &status) < 0 || !is_trusted(&status) || status.st_size <= 0)
		return NULL;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
	if (bytes == MAP_FAILED)
		return NULL;
	*size_out = (size_t)status.st_size;
	return bytes;
}

struct plan_kind funcpatch_kind(bool is_api)
{
	bool has_calls = is_api || funcpatch_settings.cost != PATCH_COST_COUNTS;
	struct plan_kind kind;

	if (!has_calls) {
		funcpatch_shadow_map();
		has_calls = funcpatch_shadow_start() != UINT64_MAX;
	}
	kind = plan_kind_of(funcpatch_settings.cost, has_calls);
	if (funcpatch_settings.is_serialized)
		kind.variant |= PLAN_VARIANT_SERIALIZED;
	if (funcpatch_settings.has_loops && !is_api)
		kind.variant |= PLAN_VARIANT_LOOPS;
	if (funcpatch_settings.budget > 0 && !is_api && !funcpatch_is_attached)
		kind.variant |= PLAN_VARIANT_THROTTLE;
	return kind;
}

static bool plan_path_of(const struct funcpatch_found *found, char *path, size_t size)
{
	uint64_t identity = 0;
	struct stat status;

	if (found->build_id_size == 0) {
		if (stat(found->path, &status) < 0)
			return false;
		identity = plan_identity((uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
					 (uint64_t)status.st_mtim.tv_nsec, status.st_ino);
	}
	return plancache_path_in(funcpatch_settings.cache_home, funcpatch_settings.home,
				 found->build_id, found->build_id_size, identity,
				 funcpatch_kind(found->api != NULL), path, size) &&
	       (!found->api || planapi_path(path, size, found->api));
}

static bool plan_is_of(const struct plan_header *header, const struct funcpatch_found *found)
{
	struct plan_kind kind = funcpatch_kind(found->api != NULL);

	return header->machine == PROCESSOR_MACHINE && header->cost == (uint16_t)kind.cost &&
	       header->variant == kind.variant && header->build_id_size == found->build_id_size &&
	       memcmp(header->build_id, found->build_id, found->build_id_size) == 0;
}

/* NAME.COST-VARIANT.plan -> NAME.KEY-VARIANT.choice */
static bool plan_choice_path(char *path, size_t size)
{
	const char *variant = plancache_variant_suffix(funcpatch_kind(false).variant);
	size_t key = strlen(funcpatch_settings.key), rest = strlen(variant);
	char *dot = strrchr(path, '.');

	if (!dot)
		return false;
	*dot = '\0';
	dot = strrchr(path, '.');
	if (!dot || (size_t)(dot + 1 - path) + key + rest + sizeof(".choice") > size)
		return false;
	memcpy(dot + 1, funcpatch_settings.key, key);
	memcpy(dot + 1 + key, variant, rest);
	memcpy(dot + 1 + key + rest, ".choice", sizeof(".choice"));
	return true;
}

/* After the choice, if arguments or results are requested. */
static void load_values(struct funcpatch_module *out, const struct choice_header *choice)
{
	size_t at = (sizeof(*choice) + choice->count + 7) / 8 * 8;

	memset(&out->values, 0, sizeof(out->values));
	if (funcpatch_settings.cost == PATCH_COST_COUNTS && out->choice_size > at)
		(void)values_read((const char *)out->choice_bytes + at, out->choice_size - at,
				  choice->count, &out->values);
}

static bool take_choice(int descriptor, struct funcpatch_module *out)
{
	const struct plan_header *header = out->applied.plan.header;
	const struct choice_header *choice;

	out->choice_bytes = plan_map_file(descriptor, &out->choice_size);
	choice = out->choice_bytes;
	if (choice && out->choice_size >= sizeof(*choice) &&
	    memcmp(choice->magic, CHOICE_MAGIC, sizeof(choice->magic)) == 0 &&
	    choice->version == PLAN_VERSION && choice->count == header->function_count &&
	    choice->plan_checksum == header->checksum &&
	    out->choice_size - sizeof(*choice) >= choice->count) {
		out->choice = (const uint8_t *)(choice + 1);
		load_values(out, choice);
		return true;
	}
	if (choice)
		munmap(out->choice_bytes, out->choice_size);
	out->choice_bytes = NULL;
	return false;
}

/* From the cache, or from the memfd used instead. */
static bool load_choice(char *path, size_t size, int memfile, struct funcpatch_module *out)
{
	int descriptor = -1;
	bool is_taken = false;

	if (path[0] && plan_choice_path(path, size))
		descriptor = plain_open(path, O_RDONLY | O_CLOEXEC, 0);
	if (descriptor >= 0) {
		is_taken = take_choice(descriptor, out);
		plain_close(descriptor);
	}
	return is_taken || (memfile > 0 && take_choice(memfile, out));
}

/* The descriptor is the caller's, also if it has no valid plan. */
static bool take_plan(int descriptor, const struct funcpatch_found *found,
		      struct funcpatch_module *out)
{
	out->plan_bytes = plan_map_file(descriptor, &out->plan_size);
	if (out->plan_bytes &&
	    plan_read(out->plan_bytes, out->plan_size, true, &out->applied.plan) &&
	    plan_is_of(out->applied.plan.header, found))
		return true;
	funcpatch_plan_release(out);
	return false;
}

int funcpatch_plan_load(const struct funcpatch_found *found, struct funcpatch_module *out)
{
	char path[FUNCPATCH_PATH_MAX];
	int descriptor = -1;

	if (plan_path_of(found, path, sizeof(path)))
		descriptor = plain_open(path, O_RDONLY | O_CLOEXEC, 0);
	else
		path[0] = '\0';
	if (descriptor >= 0 && !take_plan(descriptor, found, out)) {
		plain_close(descriptor);
		descriptor = -1;
	}
	if (descriptor < 0 && found->plan_memfile > 0) {
		descriptor = fcntl(found->plan_memfile, F_DUPFD_CLOEXEC, 3);
		if (descriptor >= 0 && !take_plan(descriptor, found, out)) {
			plain_close(descriptor);
			descriptor = -1;
		}
	}
	if (descriptor < 0)
		return -1;
	if (!funcpatch_settings.key[0] || found->api ||
	    load_choice(path, sizeof(path), found->choice_memfile, out))
		return descriptor;
	funcpatch_plan_release(out);
	plain_close(descriptor);
	return -1;
}

void funcpatch_plan_release(struct funcpatch_module *module)
{
	if (module->plan_bytes)
		munmap(module->plan_bytes, module->plan_size);
	if (module->choice_bytes)
		munmap(module->choice_bytes, module->choice_size);
	module->plan_bytes = module->choice_bytes = NULL;
	module->choice = NULL;
	module->values.function_count = 0;
}

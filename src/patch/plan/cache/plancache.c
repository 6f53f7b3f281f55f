/* Plans in the user's cache: read from there, or made and stored there. */
#include "patch/plan/cache/plancache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/writewhole.h"
#include "patch/analyse/patchanalyse.h"
#include "patch/analyse/patchmemory.h"
#include "patch/decode/patchtext.h"
#include "patch/plan/planmake.h"
#include "patch/read/planread.h"
#include "patch/read/planreadpath.h"

#define FOLDER_MODE 0700

/* The file belongs to this user, and is not writable by others. */
static bool plancache_is_own(const struct stat *info)
{
	return S_ISREG(info->st_mode) && info->st_uid == geteuid() &&
	       !(info->st_mode & (S_IWGRP | S_IWOTH));
}

static bool plancache_is_of(const struct plan *plan, const struct patch_module *module,
			    struct plan_kind kind)
{
	const struct plan_header *header = plan->header;

	if (header->cost != kind.cost || header->variant != kind.variant ||
	    header->build_id_size != module->build_id_size ||
	    header->image_start != module->image_start || header->image_end != module->image_end)
		return false;
	if (module->build_id_size == 0)
		return header->identity == module->identity;
	return memcmp(header->build_id, module->build_id, module->build_id_size) == 0;
}

/* is_sure: it was just stored there. */
static bool plancache_take(const char *path, const struct patch_module *module,
			   struct plan_kind kind, bool is_sure, struct plan *plan_out,
			   void **bytes_out, size_t *size_out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	void *bytes = MAP_FAILED;
	struct stat info;

	if (fd < 0)
		return false;
	if (fstat(fd, &info) == 0 && plancache_is_own(&info) && info.st_size > 0)
		bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return false;
	if (!plan_read(bytes, (size_t)info.st_size, is_sure, plan_out) ||
	    !plancache_is_of(plan_out, module, kind)) {
		munmap(bytes, (size_t)info.st_size);
		return false;
	}
	*bytes_out = bytes;
	*size_out = (size_t)info.st_size;
	return true;
}

/* Create all folders above a file. */
static void make_folders(const char *path)
{
	char folder[PATH_MAX];

	for (const char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		size_t size = (size_t)(at - path);

		if (size >= sizeof(folder))
			return;
		memcpy(folder, path, size);
		folder[size] = '\0';
		mkdir(folder, FOLDER_MODE); /* existing folders are kept */
	}
}

enum kymo_status plancache_put(const char *path, const void *bytes, size_t size,
			       struct problem *problem)
{
	struct outfile file;
	enum kymo_status status;
	int error;

	make_folders(path);
	status = outfile_open(&file, path, problem);
	if (status != KYMO_OK)
		return status;
	if (write_whole(file.fd, bytes, size) && fchmod(file.fd, S_IRUSR | S_IWUSR) == 0)
		return outfile_commit(&file, problem);
	error = errno;
	outfile_discard(&file);
	return problem_set(problem, KYMO_SYSTEM, "cannot write '%s': %s", path, strerror(error));
}

/* Without a cache: memory like that of a plan from the cache. */
static enum kymo_status plancache_keep(const struct patch_module *module, const unsigned char *made,
				       size_t size, struct plan *plan_out, void **bytes_out,
				       struct problem *problem)
{
	void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (bytes == MAP_FAILED)
		return problem_set(problem, KYMO_MEMORY, "out of memory for the plan of '%s'",
				   module->path);
	memcpy(bytes, made, size);
	if (!plan_read(bytes, size, true, plan_out)) {
		munmap(bytes, size);
		return problem_set(problem, KYMO_FORMAT, "the plan made of '%s' is damaged",
				   module->path);
	}
	*bytes_out = bytes;
	return KYMO_OK;
}

static uint64_t code_bytes(const struct patch_module *module)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < module->segment_count; i++)
		bytes += module->segments[i].flags & PF_X ? module->segments[i].file_bytes : 0;
	return bytes;
}

enum kymo_status plancache_can_make(const char *path, struct problem *problem)
{
	static const unsigned char code[] = {0xc3}; /* ret */
	char text[PATCHTEXT_SIZE];

	if (patchtext(code, sizeof(code), 0, text) == sizeof(code))
		return KYMO_OK;
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "cannot instrument '%s': the library Zydis is missing", path);
}

static enum kymo_status plancache_make(struct patch_module *module, struct plan_kind kind,
				       const char *path, struct plan *plan_out, void **bytes_out,
				       size_t *size_out, struct problem *problem)
{
	const struct planmake_options options = {.kind = kind};
	enum kymo_status status;
	unsigned char *made;

	module->wants_copies = kind.variant & PLAN_VARIANT_THROTTLE;
	status = plancache_can_make(module->path, problem);
	if (status == KYMO_OK)
		status = patchanalyse(module, problem);
	if (status == KYMO_OK)
		status = plan_make(module, &options, &made, size_out, problem);
	if (status != KYMO_OK)
		return status;
	/* A cache that is not writable is not an error: the plan is made again the next time. */
	if (!path || plancache_put(path, made, *size_out, NULL) != KYMO_OK ||
	    !plancache_take(path, module, kind, true, plan_out, bytes_out, size_out))
		status = plancache_keep(module, made, *size_out, plan_out, bytes_out, problem);
	free(made);
	return status;
}

enum kymo_status plancache_get(const char *path, struct plan_kind kind, struct plan *plan_out,
			       void **bytes_out, size_t *size_out, struct problem *problem)
{
	struct patch_module *module;
	char place[PATH_MAX];
	bool has_place;
	enum kymo_status status = patchmodule_open(path, &module, problem);

	if (status != KYMO_OK)
		return status;
	has_place = plancache_path(module->build_id, module->build_id_size, module->identity, kind,
				   place, sizeof(place));
	if (has_place &&
	    plancache_take(place, module, kind, false, plan_out, bytes_out, size_out)) {
		patchmodule_close(module);
		return KYMO_OK;
	}
	patchmemory_prepare(code_bytes(module));
	status = plancache_make(module, kind, has_place ? place : NULL, plan_out, bytes_out,
				size_out, problem);
	patchmodule_close(module);
	patchmemory_release();
	return status;
}

bool plancache_has(const struct plan *plan)
{
	const struct plan_header *header = plan->header;
	const struct plan_kind kind = {(enum patch_cost)header->cost, header->variant};
	struct plan_header kept;
	struct stat info;
	char path[PATH_MAX];
	bool is_same = false;
	int fd = -1;

	if (plancache_path(header->build_id, header->build_id_size, header->identity, kind, path,
			   sizeof(path)))
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	if (fstat(fd, &info) == 0 && plancache_is_own(&info) &&
	    (uint64_t)info.st_size == header->size &&
	    pread(fd, &kept, sizeof(kept), 0) == (ssize_t)sizeof(kept))
		is_same = memcmp(&kept, header, sizeof(kept)) == 0;
	close(fd);
	return is_same;
}

enum kymo_status plancache_hand(int fd, const void *bytes, size_t size, struct problem *problem)
{
	if (write_whole(fd, bytes, size))
		return KYMO_OK;
	return problem_set(problem, KYMO_SYSTEM, "cannot hand on a plan: %s", strerror(errno));
}

void plancache_release(void *bytes, size_t size)
{
	if (bytes)
		munmap(bytes, size);
}

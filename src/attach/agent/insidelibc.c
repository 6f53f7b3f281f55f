/* Functions are looked up in the libraries' own files, so that no interposed function, such as a
 * sanitizer's, is called. */
#include "attach/agent/insidelibc.h"

#include <stdlib.h>
#include <string.h>

#include "attach/agent/borrow.h"
#include "base/basename.h"

#define GATE_BYTES (64u << 10) /* of code searched for a system call instruction */
#define SEVERAL_AT 24u	       /* header.multiple_threads in struct pthread, x86-64 */

/* "libc.so.6", or "libc-2.31.so" of older releases. */
static bool insidelibc_is_library(const char *path, const char *stem)
{
	const char *name = path_base_name(path);
	size_t length = strlen(stem);

	return strncmp(name, stem, length) == 0 &&
	       (strncmp(name + length, ".so.", 4) == 0 || strncmp(name + length, "-2.", 3) == 0);
}

static bool insidelibc_is_loader(const char *path)
{
	const char *name = path_base_name(path);

	return strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld-2.", 5) == 0 ||
	       strncmp(name, "ld.so", 5) == 0;
}

static enum kymo_status insidelibc_find_modules(struct insidelibc *libc,
						const struct target *target,
						struct targetmodule **dynamic_out,
						struct problem *problem)
{
	for (size_t i = 0; i < libc->maps.module_count; i++) {
		struct targetmodule *module = &libc->maps.modules[i];

		if (strncmp(path_base_name(module->path), "ld-musl", 7) == 0 ||
		    strcmp(path_base_name(module->path), "libc.so") == 0)
			return problem_set(problem, KYMO_UNAVAILABLE,
					   "process %d has another C library than this build of "
					   "kymo (musl): its functions cannot be instrumented",
					   (int)target->pid);
		if (!libc->library && insidelibc_is_library(module->path, "libc"))
			libc->library = module;
		else if (!libc->threads && insidelibc_is_library(module->path, "libpthread"))
			libc->threads = module;
		else if (!*dynamic_out && insidelibc_is_library(module->path, "libdl"))
			*dynamic_out = module;
		else if (!libc->loader && insidelibc_is_loader(module->path))
			libc->loader = module;
	}
	if (!libc->library || !libc->loader)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "process %d is statically linked, or has a C library that kymo "
				   "does not know: its functions cannot be instrumented",
				   (int)target->pid);
	return KYMO_OK;
}

/* Runtimes that abort when a thread appears that they have not created. */
static bool rejects_foreign_threads(struct insidelibc *libc, struct remote *remote,
				    struct targetmodule *module)
{
	struct elfimage_name names[] = {{.name = "__tsan_init"}, {.name = "__msan_init"}};
	struct elfimage *image = targetmaps_image(&libc->maps, module, remote);

	if (image)
		elfimage_symbols(image, names, sizeof(names) / sizeof(*names));
	return names[0].value || names[1].value;
}

static enum kymo_status check_runtimes(struct insidelibc *libc, const struct target *target,
				       struct remote *remote, struct problem *problem)
{
	for (size_t i = 0; i < libc->maps.module_count; i++) {
		struct targetmodule *module = &libc->maps.modules[i];

		if (module != libc->library && rejects_foreign_threads(libc, remote, module))
			return problem_set(problem, KYMO_UNAVAILABLE,
					   "process %d has a sanitizer that knows all of its "
					   "threads (%s): none can be added",
					   (int)target->pid, path_base_name(module->path));
	}
	return KYMO_OK;
}

static void insidelibc_resolve(struct insidelibc *libc, struct targetmodule *module,
			       struct remote *remote, const char *name, uint64_t *address)
{
	struct elfimage_name symbol = {.name = name};
	struct elfimage *image = module ? targetmaps_image(&libc->maps, module, remote) : NULL;

	if (*address || !image)
		return;
	elfimage_symbols(image, &symbol, 1);
	if (symbol.value)
		*address = module->bias + symbol.value;
}

static void find_functions(struct insidelibc *libc, struct targetmodule *dynamic,
			   struct remote *remote)
{
	struct targetmodule *const modules[] = {libc->library, libc->threads, dynamic};

	for (size_t i = 0; i < sizeof(modules) / sizeof(*modules); i++) {
		insidelibc_resolve(libc, modules[i], remote, "pthread_create",
				   &libc->thread_create);
		insidelibc_resolve(libc, modules[i], remote, "pthread_detach",
				   &libc->thread_detach);
		insidelibc_resolve(libc, modules[i], remote, "munmap", &libc->unmap);
		insidelibc_resolve(libc, modules[i], remote, "dlopen", &libc->open);
		insidelibc_resolve(libc, modules[i], remote, "dlsym", &libc->symbol);
		insidelibc_resolve(libc, modules[i], remote, "dlerror", &libc->error);
	}
}

static bool find_syscall_insn_in(struct insidelibc *libc, struct remote *remote,
				 const struct targetmap *map)
{
	uint64_t size = map->end - map->start;
	unsigned char *code;
	size_t at;

	if (size > GATE_BYTES)
		size = GATE_BYTES;
	code = malloc(size);
	at = code && remote_read(remote, map->start, code, size) ? borrow_find_syscall(code, size)
								 : size;
	free(code);
	if (at < size)
		libc->syscall_insn = map->start + at;
	return at < size;
}

/* In the vdso; without it, in the C library. */
static bool find_syscall_insn(struct insidelibc *libc, struct remote *remote)
{
	for (size_t i = 0; i < libc->maps.count; i++)
		if (strcmp(libc->maps.maps[i].path, "[vdso]") == 0 &&
		    find_syscall_insn_in(libc, remote, &libc->maps.maps[i]))
			return true;
	for (size_t i = 0; i < libc->maps.count; i++)
		if (libc->maps.maps[i].is_executable &&
		    insidelibc_is_loader(libc->maps.maps[i].path) &&
		    find_syscall_insn_in(libc, remote, &libc->maps.maps[i]))
			return true;
	return false;
}

static enum kymo_status find_all(struct insidelibc *libc, const struct target *target,
				 struct remote *remote, struct problem *problem)
{
	struct targetmodule *dynamic = NULL;
	enum kymo_status status = insidelibc_find_modules(libc, target, &dynamic, problem);

	if (status < 0)
		return status;
	status = check_runtimes(libc, target, remote, problem);
	if (status < 0)
		return status;
	find_functions(libc, dynamic, remote);
	if (!libc->threads)
		libc->threads = libc->library;
	if (!libc->thread_create || !libc->thread_detach)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "process %d runs without a library for threads (glibc before "
				   "2.34, libpthread): its functions cannot be instrumented",
				   (int)target->pid);
	if (!libc->open || !libc->symbol || !libc->error || !libc->unmap)
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "process %d runs without dlopen() (glibc before 2.34, libdl): "
				   "its functions cannot be instrumented",
				   (int)target->pid);
	if (!find_syscall_insn(libc, remote))
		return problem_set(problem, KYMO_UNAVAILABLE,
				   "functions of running programs cannot be instrumented on this "
				   "kind of processor");
	return KYMO_OK;
}

enum kymo_status insidelibc_open(struct insidelibc *libc, const struct target *target,
				 struct remote *remote, struct problem *problem)
{
	enum kymo_status status;
	int error;

	*libc = (struct insidelibc){0};
	error = targetmaps_read(&libc->maps, remote);
	if (error)
		return target_explain(target, error, problem);
	status = find_all(libc, target, remote, problem);
	if (status < 0)
		insidelibc_close(libc);
	return status;
}

void insidelibc_close(struct insidelibc *libc)
{
	targetmaps_release(&libc->maps);
}

static bool insidelibc_is_in(const struct targetmodule *module, uint64_t address)
{
	return address >= module->start && address < module->end;
}

bool insidelibc_is_inside(const struct insidelibc *libc, uint64_t address)
{
	return insidelibc_is_in(libc->library, address) ||
	       insidelibc_is_in(libc->loader, address) || insidelibc_is_in(libc->threads, address);
}

bool insidelibc_mark_threaded(struct remote *remote, uint64_t thread_pointer)
{
	const uint32_t yes = 1;

	return remote_write(remote, thread_pointer + SEVERAL_AT, &yes, sizeof(yes));
}

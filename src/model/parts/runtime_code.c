/* Which regions belong to MPI and OpenMP: by their library, else by their name, which is all there
 * is in statically linked programs and in profiles with names only.  Python's MPI bindings count
 * with their C functions, each of which is one MPI call. */
#include "model/parts/runtime_code.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/basename.h"

static bool begins_with_one(const char *text, const char *const *beginnings, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strncmp(text, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

#define BEGINS_WITH_ONE(text, list) begins_with_one(text, list, sizeof(list) / sizeof(*(list)))

/* "MPI_Recv", "PMPI_Recv"; "mpi_recv_" and with two underscores, as in Fortran. */
static bool is_mpi_call(const char *name)
{
	const char *plain = name + (*name == 'P' || *name == 'p');
	size_t length = strlen(plain);

	if (strncmp(plain, "MPI_", 4) == 0)
		return true;
	return strncmp(plain, "mpi_", 4) == 0 && length > 5 && plain[length - 1] == '_';
}

static bool is_mpi(const struct region *region, const char *module)
{
	static const char *const modules[] = {
		"libmpi",  "libmpich",	 "libpmpi", "libopen-pal", "libopen-rte",
		"libpmix", "libprrte",	 "mca_",    "libucp.",	   "libucs.",
		"libuct.", "libfabric.", "libpsm",  "libhcoll",	   "libmca_",
	};

	if (region->kind == KYMO_REGION_MPI)
		return true;
	return is_mpi_call(region->name) || (module && BEGINS_WITH_ONE(module, modules));
}

static bool is_openmp(const struct region *region, const char *module)
{
	static const char *const modules[] = {"libgomp", "libomp.", "libomp-", "libiomp"};
	static const char *const names[] = {"gomp_", "GOMP_", "__kmp_", "__kmpc_"};

	return BEGINS_WITH_ONE(region->name, names) || (module && BEGINS_WITH_ONE(module, modules));
}

static bool code_is_of_system(const struct region *region, const char *module)
{
	static const char *const modules[] = {"libc.", "libc-", "libpthread", "ld-linux", "["};

	return strstr(region->name, " (kernel)") || (module && BEGINS_WITH_ONE(module, modules));
}

static bool is_python_binding(const struct region *region)
{
	return (region->kind == KYMO_REGION_PYTHON_C ||
		region->kind == KYMO_REGION_PYTHON_METHOD) &&
	       region->module && strncmp(region->module, "mpi4py.", 7) == 0;
}

enum runtime_code runtime_code_of(const struct region *region)
{
	const char *module = path_base_name(region->module);

	if (is_python_binding(region))
		return RUNTIME_CODE_MPI;
	if (region->kind != KYMO_REGION_NATIVE && region->kind != KYMO_REGION_MPI)
		return RUNTIME_CODE_NONE;
	if (is_mpi(region, module))
		return RUNTIME_CODE_MPI;
	if (is_openmp(region, module))
		return RUNTIME_CODE_OPENMP;
	return code_is_of_system(region, module) ? RUNTIME_CODE_CALLEE : RUNTIME_CODE_NONE;
}

enum runtime_code runtime_code_below(enum runtime_code caller, const struct region *region)
{
	enum runtime_code own = runtime_code_of(region);

	if (caller == RUNTIME_CODE_MPI)
		return RUNTIME_CODE_MPI;
	return own == RUNTIME_CODE_CALLEE ? caller : own;
}

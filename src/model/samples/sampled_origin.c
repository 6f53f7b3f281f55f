/* Whose code a native frame is, by the names of its module's file and of its function. */
#include "model/samples/sampled_origin.h"

#include <string.h>

#include "base/basename.h"
#include "model/samples/sampled_frames.h"

static bool origin_begins_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* "python3.11", "libpython3.12.so.1.0", "python3-dbg", but not "pythonic". */
static bool is_interpreter(const char *file)
{
	if (origin_begins_with(file, "lib"))
		file += 3;
	if (!origin_begins_with(file, "python"))
		return false;
	file += strlen("python");
	return *file == '\0' || *file == '.' || *file == '-' || (*file >= '0' && *file <= '9');
}

static bool is_libc(const char *file)
{
	static const char *const names[] = {
		"libc.",    "libc-",   "libpthread", "libm.",	   "libm-",  "librt.",	  "librt-",
		"ld-linux", "ld-musl", "ld-2",	     "linux-vdso", "[vdso]", "linux-gate"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (origin_begins_with(file, names[i]))
			return true;
	}
	return false;
}

static bool is_kymo(const char *path, const char *file)
{
	static const char package[] = "/kymo/";
	size_t folder = (size_t)(file - path);

	return origin_begins_with(file, "libkymo") ||
	       (origin_begins_with(file, "_native.") && folder >= strlen(package) &&
		origin_begins_with(file - strlen(package), package));
}

/* Programs have functions with some of these names, too: they count at the outermost end only. */
static bool is_start(const char *function)
{
	static const char *const names[] = {"_start",	"start_thread",	 "thread_start",
					    "__clone",	"clone",	 "clone3",
					    "__clone3", "_dl_start_user"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(function, names[i]) == 0)
			return true;
	}
	return false;
}

enum sampled_origin sampled_origin_of(const char *path, const char *function)
{
	const char *file = path ? path_base_name(path) : "";

	if (origin_begins_with(function, "__libc_start_"))
		return SAMPLED_FROM_MAIN_START;
	if (strcmp(function, "__restore_rt") == 0)
		return SAMPLED_FROM_TRAMPOLINE;
	if (is_start(function))
		return SAMPLED_FROM_START;
	if (is_kymo(path ? path : "", file))
		return SAMPLED_FROM_KYMO;
	if (is_interpreter(file))
		return SAMPLED_FROM_INTERPRETER;
	return is_libc(file) ? SAMPLED_FROM_LIBC : SAMPLED_FROM_PROGRAM;
}

/* Functions that the evaluation loop uses for Python's operators, attributes, loops and frames, as
 * opposed to functions that Python code calls.  Most are CPython's C API. */
bool sampled_is_evaluation(const char *function)
{
	static const char *const beginnings[] = {"Py",	       "_Py",	"long_", "float_", "slot_",
						 "insertdict", "x_add", "x_sub", "x_mul",  "k_mul"};
	static const char *const calls[] = {"Call", "call", "Import", "PyRun", "PyMarshal"};
	static const char *const ends[] = {"_dealloc", "iter_next",    "_iternext",    "_subscript",
					   "_concat",  "_concatenate", "_richcompare", "_contains",
					   "_hash",    "_getattro",    "_setattro",    "_item"};
	size_t length = strlen(function);

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t end = strlen(ends[i]);

		if (length > end && strcmp(function + length - end, ends[i]) == 0)
			return true;
	}
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strstr(function, calls[i]))
			return false;
	}
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++) {
		if (origin_begins_with(function, beginnings[i]))
			return true;
	}
	return false;
}

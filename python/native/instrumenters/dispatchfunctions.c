/* A symbol is used only if the unwind tables in memory have a function of its address and size. */
#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "object/image/elfimage.h"
#include "object/unwind/unwind.h"
#include "platform/files/regularfile.h"
#include "platform/modulescan.h"

struct interpreter_file {
	struct elfimage *image;
	uint64_t bias;
	uint64_t within; /* an address of its text */
};

static void take_file_of_interpreter(const struct modulescan_found *found, void *context)
{
	struct interpreter_file *file = context;
	int descriptor;

	if (file->image || file->within < found->start || file->within >= found->end)
		return;
	descriptor = regularfile_open(found->path);
	if (descriptor < 0)
		return;
	file->image = elfimage_open(descriptor);
	close(descriptor);
	file->bias = found->bias;
	/* The file may have been replaced since. */
	if (file->image && strcmp(file->image->build_id, found->build_id ? found->build_id : "")) {
		elfimage_free(file->image);
		file->image = NULL;
	}
}

static bool is_function(uint64_t start, uint64_t size)
{
	uint64_t found_start, found_end;

	return unwind_function(start, &found_start, &found_end) && found_start == start &&
	       found_end == start + size;
}

const char *dispatchfunctions_by_name(struct dispatch_guess *guess)
{
	struct elfimage_name names[DISPATCH_FUNCTIONS] = {
		[DISPATCH_PLAIN] = {.name = "_Py_call_instrumentation"},
		[DISPATCH_ARGUMENT] = {.name = "_Py_call_instrumentation_arg"},
		[DISPATCH_TWO] = {.name = "_Py_call_instrumentation_2args"},
	};
	struct interpreter_file file = {.within = (uint64_t)(uintptr_t)_PyEval_EvalFrameDefault};

	modulescan(take_file_of_interpreter, &file);
	if (!file.image)
		return "the interpreter's file cannot be read";
	elfimage_symbols(file.image, names, DISPATCH_FUNCTIONS);
	elfimage_free(file.image);
	unwind_learn();
	for (int i = 0; i < DISPATCH_FUNCTIONS; i++) {
		const uint64_t start = names[i].value + file.bias;

		guess->places[i] = (struct dispatch_place){NULL, 0};
		if (names[i].value && is_function(start, names[i].size))
			guess->places[i] = (struct dispatch_place){(const void *)(uintptr_t)start,
								   names[i].size};
		else if (i < DISPATCH_NEEDED)
			return "the interpreter's file has no symbols";
	}
	return NULL;
}

#endif

/* Fuzz target: a file in the format callgrind, as kymo import reads it. */
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	import_fuzz("callgrind", data, size);
	return 0;
}

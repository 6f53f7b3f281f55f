/* Fuzz target: a file in the format collapsed, as kymo import reads it. */
#include "import_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	import_fuzz("collapsed", data, size);
	return 0;
}

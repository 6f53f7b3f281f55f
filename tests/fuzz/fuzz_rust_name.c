/* Any bytes as a linker's name of Rust: what comes of it is bounded and UTF-8 where its
 * identifiers are. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "object/names/rust_name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 1), *plain;

	if (!name)
		return 0;
	if (size)
		memcpy(name, data, size);
	name[size] = '\0';
	plain = rust_name(name);
	if (plain && (!*plain || strlen(plain) > 40000 + 2 * size))
		abort();
	free(plain);
	free(name);
	return 0;
}

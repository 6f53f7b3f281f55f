/* Any bytes as a line table of every version: no line is beyond what a line can be.  The first
 * bytes are the first line and the offset. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/code/python_lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct head {
	uint32_t first_line, offset;
};

/* What half of a table of pairs tells is what the whole tells. */
static void check_shorter(const unsigned char *table, size_t size, const struct head *head)
{
	uint32_t line = python_line(0x030a, table, size / 2, head->first_line, head->offset);

	if (line && python_line(0x030a, table, size, head->first_line, head->offset) != line)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *table;
	struct head head;

	if (size < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	size -= sizeof(head);
	/* Just as large, so that a sanitizer sees a read past the end. */
	table = malloc(size ? size : 1);
	if (!table)
		return 0;
	memcpy(table, data + sizeof(head), size);
	for (uint16_t version = 0x0306; version < 0x0310; version++)
		if (python_line(version, table, size, head.first_line, head.offset) > INT32_MAX)
			abort();
	check_shorter(table, size, &head);
	free(table);
	return 0;
}

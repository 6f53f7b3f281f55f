/* Writable pages are not touched: the program may be writing to them. */
#include "attach/functions/textready.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define PAGE UINT64_C(4096)

static bool is_plain_text(const struct targetmaps *maps, uint64_t address)
{
	for (size_t i = 0; i < maps->count; i++) {
		const struct targetmap *map = &maps->maps[i];

		if (address >= map->start && address < map->end)
			return map->is_readable && map->is_executable && !map->is_writable;
	}
	return false;
}

static bool touch(int memory, uint64_t address)
{
	unsigned char byte;

	return pread(memory, &byte, 1, (off_t)address) == 1 &&
	       pwrite(memory, &byte, 1, (off_t)address) == 1;
}

/* Writes are sorted by address; one may extend into the next page. */
static bool touch_all(const struct textwrites *writes, const struct targetmaps *maps,
		      const struct targetmodule *program, int memory)
{
	uint64_t done = 0; /* the last page */

	for (size_t i = 0; i < writes->count; i++) {
		const struct textwrite *write = &writes->writes[i];
		const uint64_t edges[] = {write->start, write->end - 1};

		for (int k = 0; k < 2; k++) {
			uint64_t page = edges[k] & ~(PAGE - 1);

			if (edges[k] < program->start || edges[k] >= program->end || page == done)
				continue;
			if (!is_plain_text(maps, edges[k]) || !touch(memory, edges[k]))
				return false;
			done = page;
		}
	}
	return true;
}

bool textready(const struct textwrites *writes, const struct targetmaps *maps,
	       const struct targetmodule *program)
{
	char path[64];
	bool is_done;
	int memory;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)maps->pid);
	memory = open(path, O_RDWR | O_CLOEXEC);
	if (memory < 0)
		return false;
	is_done = touch_all(writes, maps, program, memory);
	close(memory);
	return is_done;
}

/* Reads another process's Python stack: pystack_outside PID RUNTIME EVALUATE CODE_TYPE VERSION
 * HEXVERSION THREAD, all numbers, prints "name line-table-bytes first-line offset entry file" a
 * frame. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>

#include "pystack/pystack.h"
#include "pystack/pycode.h"
#include "pystack/pyruntime.h"
#include "pystack/walk/pystack_walk.h"

static bool read_remote(void *context, uint64_t address, void *to, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)(uintptr_t)address, size};

	return process_vm_readv(*(pid_t *)context, &local, 1, &remote, 1, 0) == (ssize_t)size;
}

static int tell(const struct pyruntime *runtime, const struct pymemory *memory, uint64_t thread)
{
	static struct pyframe frames[100];
	static struct pycode code;
	struct pygil gil;
	size_t count;

	if (pystack_walk(runtime, memory, thread, frames, 100, &count) != PYSTACK_OK)
		return 3;
	for (size_t i = 0; i < count; i++) {
		if (!pycode_read(runtime, memory, frames[i].code, &code))
			return 4;
		printf("%s %u %u %u %d %s\n", code.name, code.lines_size, code.first_line,
		       frames[i].offset, frames[i].is_entry, code.filename);
	}
	if (!pygil_read(runtime, memory, thread, &gil))
		return 5;
	printf("holder %d\n", gil.holder != 0);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t addresses[PYSYMBOL_COUNT] = {0};
	struct pymemory memory = {.read = read_remote};
	const char *reason = NULL;
	struct pyruntime runtime;
	uint32_t version;
	pid_t pid;

	if (argc != 8)
		return 2;
	pid = atoi(argv[1]);
	memory.context = &pid;
	addresses[PYSYMBOL_RUNTIME] = strtoull(argv[2], NULL, 10);
	addresses[PYSYMBOL_EVALUATE] = strtoull(argv[3], NULL, 10);
	addresses[PYSYMBOL_CODE_TYPE] = strtoull(argv[4], NULL, 10);
	addresses[PYSYMBOL_VERSION] = strtoull(argv[5], NULL, 10);
	/* Before 3.11 it is what they export that tells the versions: any address will do. */
	version = (uint32_t)strtoul(argv[6], NULL, 10) >> 16;
	addresses[PYSYMBOL_SINCE_3_8] = 1;
	addresses[PYSYMBOL_SINCE_3_9] = version >= 0x0309;
	addresses[PYSYMBOL_SINCE_3_10] = version >= 0x030a;
	if (!pyruntime_from(addresses, &memory, &runtime, &reason)) {
		fprintf(stderr, "%s\n", reason);
		return 6;
	}
	if (!pyruntime_is_ready(&runtime, &memory))
		return 7;
	return tell(&runtime, &memory, strtoull(argv[7], NULL, 10));
}

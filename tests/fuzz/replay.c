/* Feeds files to a fuzz target without libFuzzer: every file named on the command line
 * and every file of every directory named there, in no particular order.  Fails when a
 * name cannot be read and when there was nothing to feed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	/* Exactly as large as the input, so that a sanitizer sees a read past its end. */
	uint8_t *data = malloc(size ? size : 1);
	int status = -1;

	if (file && data && fread(data, 1, size, file) == size) {
		LLVMFuzzerTestOneInput(data, size);
		status = 0;
	} else {
		fprintf(stderr, "replay: cannot read '%s'\n", path);
	}
	free(data);
	if (file)
		fclose(file);
	return status;
}

static int replay_path(const char *path, unsigned *count);

static int replay_directory(const char *path, unsigned *count)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int status = 0;

	if (!directory) {
		fprintf(stderr, "replay: cannot read directory '%s'\n", path);
		return -1;
	}
	while (status == 0 && (entry = readdir(directory))) {
		char name[4096];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		status = replay_path(name, count);
	}
	closedir(directory);
	return status;
}

static int replay_path(const char *path, unsigned *count)
{
	struct stat info;

	if (stat(path, &info) < 0) {
		fprintf(stderr, "replay: no '%s'\n", path);
		return -1;
	}
	if (S_ISDIR(info.st_mode))
		return replay_directory(path, count);
	++*count;
	return replay_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv)
{
	unsigned count = 0;

	for (int i = 1; i < argc; i++) {
		if (replay_path(argv[i], &count) < 0)
			return 1;
	}
	printf("%u inputs replayed\n", count);
	return count ? 0 : 1;
}

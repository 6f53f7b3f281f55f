/* Modes of what Kymo writes. */
#include "base/filemode.h"

#include <string.h>

static mode_t file_mode = 0600;

void filemode_choose(const char *word)
{
	if (strcmp(word, "all") == 0)
		file_mode = 0644;
	else if (strcmp(word, "group") == 0)
		file_mode = 0640;
	else
		file_mode = 0600;
}

mode_t filemode_file(void)
{
	return file_mode;
}

/* Readers may also search. */
mode_t filemode_folder(void)
{
	return 0100 | file_mode | ((file_mode & 0044) >> 2);
}

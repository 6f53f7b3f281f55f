/* SQLite with a load: the statements of a file on a database in memory, results printed. */
#include <stdio.h>
#include <stdlib.h>

int sqlite3_open(const char *, void **);
int sqlite3_exec(void *, const char *, int (*)(void *, int, char **, char **), void *, char **);

static int print_row(void *context, int count, char **values, char **names)
{
	(void)context, (void)names;
	for (int i = 0; i < count; i++)
		printf("%s%c", values[i] ? values[i] : "", i + 1 < count ? '|' : '\n');
	return 0;
}

int main(int argc, char **argv)
{
	static char statements[1 << 16];
	FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
	void *database;
	char *error = NULL;

	if (!file || sqlite3_open(":memory:", &database))
		return 1;
	statements[fread(statements, 1, sizeof(statements) - 1, file)] = '\0';
	if (sqlite3_exec(database, statements, print_row, NULL, &error))
		fprintf(stderr, "%s\n", error);
	return error != NULL;
}

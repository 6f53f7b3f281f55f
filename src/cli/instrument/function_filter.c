/* Filter files.  A rule is one pattern: names without wildcards, of which a generated file may have
 * thousands, are compared by their hashes first. */
#include "cli/instrument/function_filter.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hashset.h"
#include "base/text/textbuf.h"

#define FILE_BYTES_MAX (16u << 20)
#define SHOWN_MAX      60 /* bytes of an unknown word */

struct rule {
	char *pattern;
	uint64_t hash; /* of a pattern without wildcards */
	bool is_plain, is_mangled, includes;
};

struct function_filter {
	struct rule *rules;
	size_t count, capacity;
};

struct parse {
	struct function_filter *filter;
	const char *path;
	unsigned int line;
	bool has_verb, includes, is_mangled, is_in_block;
	struct problem *problem;
};

static enum kymo_status filter_refuse(const struct parse *parse, const char *word, const char *why)
{
	return problem_set(parse->problem, KYMO_ERROR, "filter file '%s', line %u: '%.*s' %s",
			   parse->path, parse->line, SHOWN_MAX, word, why);
}

static enum kymo_status add_rule(struct parse *parse, char *pattern)
{
	struct function_filter *filter = parse->filter;
	struct rule *rules =
		array_grow(filter->rules, &filter->capacity, filter->count + 1, sizeof(*rules));

	if (!rules) {
		free(pattern);
		return problem_set(parse->problem, KYMO_MEMORY, "out of memory");
	}
	filter->rules = rules;
	rules[filter->count++] = (struct rule){
		.pattern = pattern,
		.hash = hash_bytes(HASH_SEED, pattern, strlen(pattern)),
		.is_plain = !strpbrk(pattern, "*?[\\"),
		.is_mangled = parse->is_mangled,
		.includes = parse->includes,
	};
	return KYMO_OK;
}

/* True when the word belongs to the syntax. */
static bool take_keyword(struct parse *parse, const char *word, enum kymo_status *status)
{
	*status = KYMO_OK;
	if (strcasecmp(word, "INCLUDE") == 0 || strcasecmp(word, "EXCLUDE") == 0) {
		parse->has_verb = true;
		parse->is_mangled = false;
		parse->includes = toupper((unsigned char)*word) == 'I';
	} else if (strcasecmp(word, "MANGLED") == 0 && parse->has_verb) {
		parse->is_mangled = true;
	} else if (strcasecmp(word, "SCOREP_REGION_NAMES_BEGIN") == 0) {
		if (parse->is_in_block)
			*status = filter_refuse(parse, word, "stands inside of such a block");
		parse->is_in_block = true;
		parse->has_verb = false;
	} else if (strcasecmp(word, "SCOREP_REGION_NAMES_END") == 0) {
		if (!parse->is_in_block)
			*status = filter_refuse(parse, word, "ends no block");
		parse->is_in_block = parse->has_verb = false;
	} else if (strncasecmp(word, "SCOREP_", 7) == 0) {
		*status = filter_refuse(parse, word,
					"is not supported: rules are about the names of functions");
	} else {
		return false;
	}
	return true;
}

static enum kymo_status take_word(struct parse *parse, char *word)
{
	enum kymo_status status;
	bool is_keyword = take_keyword(parse, word, &status);

	if (!is_keyword && parse->has_verb)
		return add_rule(parse, word);
	if (!is_keyword)
		status = filter_refuse(parse, word, "is neither INCLUDE nor EXCLUDE");
	free(word);
	return status;
}

/* The word that begins at text: a backslash escapes a blank, and is kept before any other
 * character, for the pattern. */
static char *next_word(const char **text, const char *end)
{
	struct textbuf word = {0};
	const char *at = *text;

	textbuf_text(&word, "");
	while (at < end && !isspace((unsigned char)*at)) {
		if (*at == '\\' && at + 1 < end && at[1] == ' ')
			at++;
		else if (*at == '\\' && at + 1 < end && at[1] != '\n')
			textbuf_char(&word, *at++);
		textbuf_char(&word, *at++);
	}
	*text = at;
	return textbuf_take(&word);
}

static enum kymo_status parse_text(struct parse *parse, const char *text, size_t size)
{
	const char *end = text + size;
	enum kymo_status status = KYMO_OK;

	while (status == KYMO_OK && text < end) {
		if (*text == '#') {
			const char *newline = memchr(text, '\n', (size_t)(end - text));

			text = newline ? newline : end;
		} else if (isspace((unsigned char)*text)) {
			parse->line += *text++ == '\n';
		} else {
			char *word = next_word(&text, end);

			status = word ? take_word(parse, word)
				      : problem_set(parse->problem, KYMO_MEMORY, "out of memory");
		}
	}
	if (status == KYMO_OK && parse->is_in_block)
		status = filter_refuse(parse, "SCOREP_REGION_NAMES_BEGIN", "has no end");
	return status;
}

enum kymo_status function_filter_parse(const char *text, size_t size, const char *path,
				       struct function_filter **out, struct problem *problem)
{
	struct parse parse = {.filter = calloc(1, sizeof(*parse.filter)),
			      .path = path,
			      .line = 1,
			      .problem = problem};
	enum kymo_status status;

	if (!parse.filter)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	if (memchr(text, '\0', size))
		status = problem_set(problem, KYMO_ERROR, "filter file '%s' is not text", path);
	else
		status = parse_text(&parse, text, size);
	if (status < 0) {
		function_filter_free(parse.filter);
		return status;
	}
	*out = parse.filter;
	return KYMO_OK;
}

/* The whole file; NULL with errno. */
static char *filter_read_all(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat facts;
	char *text = NULL;
	ssize_t length;
	int error;

	if (fd < 0)
		return NULL;
	errno = 0;
	if (fstat(fd, &facts) == 0 && !S_ISREG(facts.st_mode))
		errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
	else if (facts.st_size > FILE_BYTES_MAX)
		errno = EFBIG;
	*size = 0;
	if (errno == 0)
		text = malloc((size_t)facts.st_size + 1);
	while (text && *size < (size_t)facts.st_size &&
	       (length = read(fd, text + *size, (size_t)facts.st_size - *size)) != 0) {
		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0) {
			free(text);
			text = NULL;
			break;
		}
		*size += (size_t)length;
	}
	error = errno;
	close(fd);
	errno = error;
	return text;
}

enum kymo_status function_filter_read(const char *path, struct function_filter **out,
				      struct problem *problem)
{
	size_t size;
	char *text = filter_read_all(path, &size);
	enum kymo_status status;

	if (!text)
		return problem_set(problem, KYMO_ERROR, "cannot read filter file '%s': %s", path,
				   strerror(errno ? errno : ENOMEM));
	status = function_filter_parse(text, size, path, out, problem);
	free(text);
	return status;
}

void function_filter_free(struct function_filter *filter)
{
	for (size_t i = 0; filter && i < filter->count; i++)
		free(filter->rules[i].pattern);
	if (filter)
		free(filter->rules);
	free(filter);
}

enum filter_verdict function_filter_judge(const struct function_filter *filter, const char *name,
					  const char *mangled)
{
	const uint64_t hashes[] = {hash_bytes(HASH_SEED, name, strlen(name)),
				   hash_bytes(HASH_SEED, mangled, strlen(mangled))};

	for (size_t i = filter->count; i-- > 0;) {
		const struct rule *rule = &filter->rules[i];
		const char *text = rule->is_mangled ? mangled : name;
		bool fits = rule->is_plain ? rule->hash == hashes[rule->is_mangled] &&
						     strcmp(rule->pattern, text) == 0
					   : fnmatch(rule->pattern, text, 0) == 0;

		if (fits)
			return rule->includes ? FILTER_INCLUDES : FILTER_EXCLUDES;
	}
	return FILTER_SILENT;
}

uint64_t function_filter_hash(const struct function_filter *filter)
{
	uint64_t hash = HASH_SEED;

	for (size_t i = 0; i < filter->count; i++) {
		const struct rule *rule = &filter->rules[i];
		const char kind = (char)('0' + rule->includes + 2 * rule->is_mangled);

		hash = hash_bytes(hash, &kind, 1);
		hash = hash_bytes(hash, rule->pattern, strlen(rule->pattern) + 1);
	}
	return hash;
}

/* Names of Cython's functions, parsed from the left: kind of function, its scopes, its number, its
 * name.  Nothing is read past the closing NUL, whatever the lengths are. */
#include "object/names/cython_name.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/basename.h"

#define NAME_BYTES  4096
#define SCOPE_BYTES 1024 /* of one scope's name */

/* Used instead of a name, after its scopes in a wrapper's, without them in the wrapped
 * function's. */
#define LAMBDA	    "__pyx_lambda_funcdef_"
#define LAMBDA_NAME "<lambda>"
#define MODULE_CODE "<module>"

/* Whether names of one kind have a number before them; maybe: not the first one of its scope. */
enum numbering { NUMBER_NONE, NUMBER_ALWAYS, NUMBER_MAYBE };

struct sort {
	const char *prefix;
	enum numbering numbering;
};

static const struct sort sorts[] = {
	{"__pyx_pw_", NUMBER_ALWAYS}, {"__pyx_specialmethod___pyx_pw_", NUMBER_ALWAYS},
	{"__pyx_gb_", NUMBER_ALWAYS}, {"__pyx_pf_", NUMBER_MAYBE},
	{"__pyx_f_", NUMBER_NONE},
};

static bool name_is_digit(char letter)
{
	return letter >= '0' && letter <= '9';
}

static bool is_upper(char letter)
{
	return letter >= 'A' && letter <= 'Z';
}

static bool is_name_letter(char letter)
{
	return name_is_digit(letter) || is_upper(letter) || (letter >= 'a' && letter <= 'z') ||
	       letter == '_' || letter == '$';
}

static const char *after(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

struct scope {
	const char *name, *end, *rest;
	unsigned length;
	bool has_dots; /* written "_dot_" */
};

/* The end of a name of length letters, in which a dot is written "_dot_"; NULL: it is too short. */
static const char *scope_end(const char *name, unsigned length, bool has_dots)
{
	while (length-- > 0) {
		const char *dot = has_dots ? after(name, "_dot_") : NULL;

		if (!is_name_letter(*name))
			return NULL;
		name = dot ? dot : name + 1;
	}
	return name;
}

/* The length, that many letters, an underscore and more. */
static bool read_scope(const char *text, struct scope *out)
{
	unsigned length = 0;

	if (*text == '0')
		return false;
	for (; name_is_digit(*text); text++) {
		length = length * 10 + (unsigned)(*text - '0');
		if (length > SCOPE_BYTES)
			return false;
	}
	if (length == 0 || name_is_digit(*text))
		return false;
	for (int has_dots = 0; has_dots < 2; has_dots++) {
		const char *end = scope_end(text, length, has_dots);

		if (end && end[0] == '_' && is_name_letter(end[1])) {
			*out = (struct scope){text, end, end + 1, length, has_dots};
			return true;
		}
	}
	return false;
}

/* Whether the digits are a scope's length where they could also be a function's number: before
 * "make_table" there is a class or function "make", or it is the fourth function.  Implementations
 * and their wrappers are numbered alternately, so an implementation's number is usually even. */
static bool is_rather_scope(const struct scope *scope)
{
	return is_upper(scope->name[0]) || scope->name[0] == '_' || scope->rest[0] == '_' ||
	       scope->length % 2 == 1;
}

/* Whether the scope is the module of the file. */
static bool is_module(const struct scope *scope, const char *file)
{
	const char *base = path_base_name(file);

	return base && strncmp(base, scope->name, scope->length) == 0 && base[scope->length] == '.';
}

/* Whether the scope can be followed by a function's name. */
static bool is_scope(const struct scope *scope, enum numbering numbering)
{
	struct scope next;

	if (name_is_digit(scope->rest[0]))
		return numbering != NUMBER_NONE ||
		       (read_scope(scope->rest, &next) && is_scope(&next, numbering));
	if (numbering == NUMBER_ALWAYS)
		return after(scope->rest, "generator") != NULL;
	return numbering == NUMBER_NONE || is_rather_scope(scope);
}

struct writer {
	char *text; /* as large as the linker's name */
	size_t length;
};

static void name_put_part(struct writer *writer, const char *text, const char *end, bool has_dots)
{
	if (writer->length > 0)
		writer->text[writer->length++] = '.';
	while (text < end) {
		const char *dot = has_dots ? after(text, "_dot_") : NULL;

		writer->text[writer->length++] = dot ? '.' : *text;
		text = dot ? dot : text + 1;
	}
	writer->text[writer->length] = '\0';
}

static void name_put_text(struct writer *writer, const char *text)
{
	name_put_part(writer, text, text + strlen(text), false);
}

/* A variant for some types: "__pyx_fuse_0_1__pyx_pw_…" is parsed like the original. */
static const char *pass_variant(const char *name)
{
	const char *rest = after(name, "__pyx_fuse_");

	if (!rest)
		return name;
	while (name_is_digit(*rest) || (*rest == '_' && name_is_digit(rest[1])))
		rest++;
	return rest;
}

static const struct sort *sort_of(const char *name, const char **rest_out)
{
	for (size_t i = 0; i < sizeof(sorts) / sizeof(*sorts); i++) {
		*rest_out = after(name, sorts[i].prefix);
		if (*rest_out)
			return &sorts[i];
	}
	return NULL;
}

/* The end of the name that begins here; NULL: there is none. */
static const char *name_end(const char *name)
{
	const char *end = name;

	while (is_name_letter(*end))
		end++;
	return end > name && !name_is_digit(*name) && (*end == '\0' || *end == '(') ? end : NULL;
}

static bool name_put_function(struct writer *writer, const struct sort *sort, const char *rest,
			      const char *file)
{
	struct scope scope;
	const char *end;

	if (!read_scope(rest, &scope))
		return false;
	do {
		name_put_part(writer, scope.name, scope.end, scope.has_dots);
		rest = scope.rest;
	} while (read_scope(rest, &scope) &&
		 (is_module(&scope, file) || is_scope(&scope, sort->numbering)));
	while (sort->numbering != NUMBER_NONE && name_is_digit(*rest))
		rest++;
	end = name_end(rest);
	if (!end)
		return false;
	if (after(rest, LAMBDA))
		name_put_text(writer, LAMBDA_NAME);
	else
		name_put_part(writer, rest, end, false);
	return true;
}

static bool name_put_module(struct writer *writer, const char *name)
{
	const char *end = name_end(name);

	if (!end)
		return false;
	name_put_part(writer, name, end, false);
	name_put_text(writer, MODULE_CODE);
	return true;
}

char *cython_name(const char *linker_name, const char *file)
{
	size_t length = strnlen(linker_name, NAME_BYTES);
	const char *name = pass_variant(linker_name), *rest = after(name, "__pyx_pymod_exec_");
	struct writer writer = {0};
	const struct sort *sort;
	bool is_put = false;

	if (!after(name, "__pyx_") || length == NAME_BYTES)
		return NULL;
	writer.text = malloc(length + 1);
	if (!writer.text)
		return NULL;
	if (rest) {
		is_put = name_put_module(&writer, rest);
	} else if (after(name, LAMBDA) && name_end(name)) {
		name_put_text(&writer, LAMBDA_NAME);
		is_put = true;
	} else {
		sort = sort_of(name, &rest);
		is_put = sort && name_put_function(&writer, sort, rest, file);
	}
	if (is_put)
		return writer.text;
	free(writer.text);
	return NULL;
}

/* Equal, even if scopes were parsed as a part of the name or vice versa. */
static bool is_alike(const char *left, const char *right)
{
	for (; *left && *right; left++, right++)
		if (*left != *right &&
		    !((*left == '.' && *right == '_') || (*left == '_' && *right == '.')))
			return false;
	return *left == *right;
}

bool cython_is_wrapper_of(const char *wrapper, const char *implementation)
{
	const char *lambda = strstr(wrapper, LAMBDA);
	char *outer, *inner;
	bool is_one;

	if (lambda && lambda > wrapper && strcmp(lambda, implementation) == 0)
		return true;
	if (!after(pass_variant(wrapper), "__pyx_pw_") ||
	    !after(pass_variant(implementation), "__pyx_pf_"))
		return false;
	outer = cython_name(wrapper, NULL);
	inner = cython_name(implementation, NULL);
	is_one = outer && inner && is_alike(outer, inner);
	free(outer);
	free(inner);
	return is_one;
}

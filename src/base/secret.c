/* Masking what looks like a secret.
 *
 * A text is taken word by word: words are what blanks, quotes, commas, semicolons and '&'
 * part. */
#include "base/secret.h"

#include <string.h>

#define NAME_MAX_LENGTH 256

static char upper_of(char letter)
{
	return (char)(letter >= 'a' && letter <= 'z' ? letter - 32 : letter);
}

bool secret_is_name(const char *name, size_t length)
{
	static const char *const marks[] = {"KEY",     "TOKEN",	  "SECRET",    "PASS",
					    "PWD",     "CRED",	  "AUTH",      "COOKIE",
					    "SESSION", "PRIVATE", "SIGNATURE", "DSN"};
	/* Well-known names that only look so. */
	static const char *const plain[] = {"PWD", "OLDPWD"};
	char upper[NAME_MAX_LENGTH];
	size_t i;

	for (i = 0; i < length && i < sizeof(upper) - 1; i++)
		upper[i] = upper_of(name[i]);
	upper[i] = '\0';
	for (size_t k = 0; k < sizeof(plain) / sizeof(*plain); k++)
		if (strcmp(upper, plain[k]) == 0)
			return false;
	for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
		if (strstr(upper, marks[k]))
			return true;
	return false;
}

/* ---- within a text ----------------------------------------------------------------------- */

struct masked { /* what is written so far */
	char *out;
	size_t size, length;
};

static void put(struct masked *masked, const char *text, size_t length)
{
	if (masked->size > 0 && masked->length < masked->size - 1) {
		size_t room = masked->size - 1 - masked->length;

		memcpy(masked->out + masked->length, text, length < room ? length : room);
	}
	masked->length += length;
}

static void put_mask(struct masked *masked)
{
	put(masked, SECRET_MASK, sizeof(SECRET_MASK) - 1);
}

/* A word ends at these; what may be in a secret ends at fewer. */
#define WORD_ENDS   " \t\r\n\"'`,;&<>(){}[]|"
#define SECRET_ENDS " \t\r\n\"'`&<>"

static bool starts_with(const char *word, size_t length, const char *start)
{
	size_t size = strlen(start);

	return length >= size && memcmp(word, start, size) == 0;
}

/* "scheme://user:password@host": where the password begins; 0 = none. */
static size_t find_password(const char *word, size_t *end_out)
{
	size_t length = strcspn(word, SECRET_ENDS), at = 0, colon = 0, end = 0;
	bool is_path = false;

	while (at + 2 < length && memcmp(word + at, "://", 3) != 0)
		at++;
	if (at + 2 >= length)
		return 0;
	for (size_t i = at + 3; i < length; i++) {
		is_path |= word[i] == '/';
		if (word[i] == ':' && !colon && !is_path)
			colon = i;
		if (word[i] == '@')
			end = i;
	}
	if (!colon || end < colon)
		return 0;
	*end_out = end;
	return colon + 1;
}

/* "name=" or "name:" of a secret at the start of a word: bytes of it; 0 = none. */
static size_t find_assigned(const char *word, size_t length)
{
	for (size_t i = 1; i + 1 < length; i++) {
		/* A URL is no assignment. */
		if (starts_with(word + i, length - i, "://"))
			return 0;
		if (word[i] == '=' || word[i] == ':')
			return secret_is_name(word, i) ? i + 1 : 0;
	}
	return 0;
}

/* "?token=x" within a URL. */
static size_t find_queried(const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		size_t found;

		if (word[i] != '?' && word[i] != '#')
			continue;
		found = find_assigned(word + i + 1, length - i - 1);
		if (found)
			return i + 1 + found;
	}
	return 0;
}

/* What tokens of well-known services begin with. */
static bool is_token(const char *word, size_t length)
{
	static const char *const starts[] = {"ghp_",   "gho_",	"ghs_",	 "github_pat_",
					     "glpat-", "xoxb-", "xoxp-", "sk-",
					     "AKIA",   "eyJ",	"hf_",	 "pypi-"};

	for (size_t i = 0; length >= 20 && i < sizeof(starts) / sizeof(*starts); i++)
		if (starts_with(word, length, starts[i]))
			return true;
	return false;
}

/* A word that is no value of the one before; bytes that were passed. */
static size_t put_word(struct masked *masked, const char *word, size_t length)
{
	size_t end = 0, start = find_password(word, &end);

	if (is_token(word, length)) {
		put_mask(masked);
		return strcspn(word, SECRET_ENDS);
	}
	if (!start) {
		start = find_assigned(word, length);
		if (!start)
			start = find_queried(word, length);
		if (!start) {
			put(masked, word, length);
			return length;
		}
		end = strcspn(word, SECRET_ENDS);
	}
	put(masked, word, start);
	put_mask(masked);
	return end;
}

static bool is_scheme(const char *word, size_t length)
{
	return (length == 6 && memcmp(word, "Bearer", 6) == 0) ||
	       (length == 5 && memcmp(word, "Basic", 5) == 0);
}

/* The next word is the value of this one: "--password x", "Bearer x", "token: x", and in JSON,
 * where the colon is a word of its own. */
static bool announces(const char *word, size_t length, bool follows_name)
{
	bool is_sign = word[length - 1] == ':' || word[length - 1] == '=';

	if (is_scheme(word, length) || (is_sign && length == 1 && follows_name))
		return true;
	if (is_sign && length > 1)
		return secret_is_name(word, length - 1);
	return starts_with(word, length, "--") && !memchr(word, '=', length) &&
	       secret_is_name(word, length);
}

size_t secret_mask(const char *text, char *out, size_t size)
{
	struct masked masked = {out, size, 0};
	bool is_value = false, is_name = false;

	if (strstr(text, "PRIVATE KEY-----")) {
		put_mask(&masked);
		text = "";
	}
	while (*text) {
		size_t length = strcspn(text, WORD_ENDS);
		bool was_name = is_name;

		if (length == 0) {
			put(&masked, text++, 1);
			continue;
		}
		is_name = secret_is_name(text, length);
		if (is_value && !is_scheme(text, length) && !starts_with(text, length, "--")) {
			put_mask(&masked);
			text += strcspn(text, SECRET_ENDS);
			is_value = false;
			continue;
		}
		is_value = announces(text, length, was_name);
		text += put_word(&masked, text, length);
	}
	if (size > 0)
		out[masked.length < size ? masked.length : size - 1] = '\0';
	return masked.length;
}

/* Masking what looks like a secret.
 *
 * A text is processed word by word: words are separated by blanks, quotes, commas, semicolons
 * and '&'. */
#include "base/secret.h"

#include <string.h>

#include "base/basename.h"

#define NAME_MAX_LENGTH 256
#define TOKEN_MIN	20 /* letters of the shortest token */

static char upper_of(char letter)
{
	return (char)(letter >= 'a' && letter <= 'z' ? letter - 32 : letter);
}

bool secret_is_name(const char *name, size_t length)
{
	static const char *const marks[] = {
		"KEY",	   "TOKEN",   "SECRET",	   "PASS", "PWD",     "CRED",	"AUTH", "COOKIE",
		"SESSION", "PRIVATE", "SIGNATURE", "DSN",  "WEBHOOK", "BEARER", "JWT",
	};
	static const char *const ends[] = {"PW", "_PW", "-PW", "_PAT"};
	/* Well-known names that only look so; "Pwd=" is different. */
	static const char *const plain[] = {"PWD", "OLDPWD"};
	char upper[NAME_MAX_LENGTH];
	size_t i;

	for (size_t k = 0; k < sizeof(plain) / sizeof(*plain); k++)
		if (length == strlen(plain[k]) && memcmp(name, plain[k], length) == 0)
			return false;
	for (i = 0; i < length && i < sizeof(upper) - 1; i++)
		upper[i] = upper_of(name[i]);
	upper[i] = '\0';
	for (size_t k = 0; k < sizeof(ends) / sizeof(*ends); k++) {
		size_t end = strlen(ends[k]);

		if (i >= end && strcmp(upper + i - end, ends[k]) == 0 &&
		    (ends[k][0] != 'P' || i == end))
			return true;
	}
	for (size_t k = 0; k < sizeof(marks) / sizeof(*marks); k++)
		if (strstr(upper, marks[k]))
			return true;
	return false;
}

struct masked { /* the output so far */
	char *out;
	size_t size, length;
};

static void secret_put(struct masked *masked, const char *text, size_t length)
{
	if (masked->size > 0 && masked->length < masked->size - 1) {
		size_t room = masked->size - 1 - masked->length;

		memcpy(masked->out + masked->length, text, length < room ? length : room);
	}
	masked->length += length;
}

static void put_mask(struct masked *masked)
{
	secret_put(masked, SECRET_MASK, sizeof(SECRET_MASK) - 1);
}

/* Separators of words; a secret may contain some of them. */
#define WORD_ENDS   " \t\r\n\"'`,;&<>(){}[]|"
#define SECRET_ENDS " \t\r\n\"'`&<>"
/* A password in a URL should not contain '&', but may. */
#define URL_ENDS    " \t\r\n\"'`<>"

static bool starts_with(const char *word, size_t length, const char *start)
{
	size_t size = strlen(start);

	return length >= size && memcmp(word, start, size) == 0;
}

/* "scheme://user:password@host": the beginning of the password; 0 = none. */
static size_t find_password(const char *word, size_t *end_out)
{
	size_t length = strcspn(word, URL_ENDS), at = 0, colon = 0, end = 0;
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
	*end_out = end;
	if (colon && end > colon)
		return colon + 1;
	/* A token in place of a name. */
	for (size_t i = at + 3; i < end; i++)
		if (word[i] == '/' || word[i] == '?')
			return 0;
	return end >= at + 3 + TOKEN_MIN ? at + 3 : 0;
}

/* "name=" or "name:" of a secret at the start of a word: bytes of it; 0 = none. */
static size_t find_assigned(const char *word, size_t length)
{
	size_t begin = 0;

	for (size_t i = 1; i + 1 < length; i++) {
		/* A URL is no assignment. */
		if (starts_with(word + i, length - i, "://"))
			return 0;
		if (word[i] != '=' && word[i] != ':')
			continue;
		/* PWD is a directory in an environment, and a password otherwise. */
		if (secret_is_name(word + begin, i - begin) ||
		    (i - begin == 3 && memcmp(word + begin, "PWD", 3) == 0 && word[i + 1] != '/'))
			return i + 1;
		if (word[i] == ':')
			return 0;
		begin = i + 1; /* "--set=db.password=x" */
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

/* Prefixes of tokens of well-known services. */
static bool is_token(const char *word, size_t length)
{
	static const char *const starts[] = {"ghp_",   "gho_",	"ghs_",	 "github_pat_",
					     "glpat-", "xoxb-", "xoxp-", "sk-",
					     "AKIA",   "eyJ",	"hf_",	 "pypi-"};

	for (size_t i = 0; length >= TOKEN_MIN && i < sizeof(starts) / sizeof(*starts); i++)
		if (starts_with(word, length, starts[i]))
			return true;
	return false;
}

/* A word that is not the value of the previous one; returns the bytes consumed. */
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
			secret_put(masked, word, length);
			return length;
		}
		end = strcspn(word, SECRET_ENDS);
	}
	secret_put(masked, word, start);
	put_mask(masked);
	return end;
}

static bool is_scheme(const char *word, size_t length)
{
	return (length == 6 && memcmp(word, "Bearer", 6) == 0) ||
	       (length == 5 && memcmp(word, "Basic", 5) == 0);
}

/* The next word is the value of this one: "--password x", "Bearer x", "token: x", and in JSON,
 * where the colon is a separate word. */
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
			secret_put(&masked, text++, 1);
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

static size_t secret_copy_out(struct masked *masked)
{
	if (masked->size > 0)
		masked->out[masked->length < masked->size ? masked->length : masked->size - 1] =
			'\0';
	return masked->length;
}

static size_t only_mask(char *out, size_t size)
{
	struct masked masked = {out, size, 0};

	put_mask(&masked);
	return secret_copy_out(&masked);
}

size_t secret_mask_variable(const char *name, const char *value, char *out, size_t size)
{
	return secret_is_name(name, strlen(name)) ? only_mask(out, size)
						  : secret_mask(value, out, size);
}

/* Copy the first bytes unchanged, then the mask. */
static size_t mask_behind(const char *text, size_t length, char *out, size_t size)
{
	struct masked masked = {out, size, 0};

	secret_put(&masked, text, length);
	put_mask(&masked);
	return secret_copy_out(&masked);
}

static bool secret_is_among(const char *text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return false;
}

/* "name:password" of "-u" and similar options, "name%password": the beginning of the password; 0
 * = none.  Ids of a user and a group are not masked. */
static size_t find_after_name(const char *value)
{
	size_t at = strcspn(value, ":%");

	if (at == 0 || !value[at] || !value[at + 1] || strstr(value, "://"))
		return 0;
	return value[strspn(value, "0123456789:")] ? at + 1 : 0;
}

static size_t find_user(const char *before, const char *argument)
{
	static const char *const options[] = {"-u",	      "-U",	 "--user",
					      "--proxy-user", "--proxy", "--userpwd"};
	size_t count = sizeof(options) / sizeof(*options), found;

	if (before && secret_is_among(before, options, count))
		return find_after_name(argument);
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(options[i]);
		bool is_long = options[i][1] == '-';

		if (strncmp(argument, options[i], length) != 0)
			continue;
		if (is_long && argument[length] != '=')
			continue;
		found = find_after_name(argument + length + is_long);
		return found ? found + length + is_long : 0;
	}
	return 0;
}

/* "-pSECRET": what follows is no port, no path, no other letters of short options and none of
 * the words that compilers and find(1) use. */
static bool is_attached_password(const char *argument)
{
	static const char *const known[] = {"thread", "ipe", "edantic", "rint",
					    "lugin",  "erm", "rune",	"arse",
					    "ath",    "ref", "rof",	"arallel"};
	const char *value = argument + 2;

	if (strncmp(argument, "-p", 2) != 0 || strlen(value) < 3 || strchr("/.", value[0]) ||
	    !value[strspn(value, "0123456789:.-=")])
		return false;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strncmp(value, known[i], strlen(known[i])) == 0)
			return false;
	return true;
}

/* Options whose next argument is a password, although their name does not show it. */
static bool takes_password(const char *const *argv, size_t index)
{
	static const struct {
		const char *program, *option;
	} known[] = {
		{"sshpass", "-p"},	   {"mongo", "-p"},	   {"mongosh", "-p"},
		{"mongodump", "-p"},	   {"mongorestore", "-p"}, {"docker", "-p"},
		{"podman", "-p"},	   {"ldapsearch", "-w"},   {"ldapadd", "-w"},
		{"ldapmodify", "-w"},	   {"ldapdelete", "-w"},   {"redis-cli", "-a"},
		{"sqlcmd", "-P"},	   {"bcp", "-P"},	   {"zip", "-P"},
		{"unzip", "-P"},	   {"openssl", "-k"},	   {"openssl", "-K"},
		{"wget", "--http-passwd"}, {"oc", "-p"},	   {"isql", "-P"},
	};

	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		if (strcmp(argv[index - 1], known[k].option) != 0)
			continue;
		/* It may follow the command that starts it: "sudo sshpass -p ...". */
		for (size_t i = 0; i + 1 < index; i++)
			if (strcmp(path_base_name(argv[i]), known[k].program) == 0)
				return argv[index][strspn(argv[index], "0123456789:.")] != '\0';
	}
	return false;
}

/* "--password", "-storepass": with its value in a separate argument. */
static bool is_option_of_secret(const char *option)
{
	return option[0] == '-' && option[1] && option[2] && !strchr(option, '=') &&
	       secret_is_name(option, strlen(option));
}

size_t secret_mask_argument(const char *const *argv, size_t index, char *out, size_t size)
{
	const char *argument = argv[index], *before = index > 0 ? argv[index - 1] : NULL;
	size_t user;

	if (index == 0)
		return secret_mask(argument, out, size);
	if (strncmp(argument, "--", 2) != 0 && index > 1 &&
	    (is_option_of_secret(before) || takes_password(argv, index)))
		return only_mask(out, size);
	user = find_user(index > 1 ? before : NULL, argument);
	if (user)
		return mask_behind(argument, user, out, size);
	if (is_attached_password(argument))
		return mask_behind(argument, 2 + (argument[2] == '='), out, size);
	return secret_mask(argument, out, size);
}

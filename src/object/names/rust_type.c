/* Types in rustc's v0 names.  Serves rust_reader.h. */
#include "object/names/rust_reader.h"

static const char *basic_type(char tag)
{
	static const char *const names[] = {
		['a'] = "i8",  ['b'] = "bool", ['c'] = "char",	['d'] = "f64",	 ['e'] = "str",
		['f'] = "f32", ['h'] = "u8",   ['i'] = "isize", ['j'] = "usize", ['l'] = "i32",
		['m'] = "u32", ['n'] = "i128", ['o'] = "u128",	['p'] = "_",	 ['s'] = "i16",
		['t'] = "u16", ['u'] = "()",   ['v'] = "...",	['x'] = "i64",	 ['y'] = "u64",
		['z'] = "!",
	};

	return tag > 0 && (size_t)tag < sizeof(names) / sizeof(*names) ? names[(size_t)tag] : NULL;
}

static void type_read_reference(struct rust_reader *reader, bool is_mutable)
{
	rust_put(reader, "&");
	if (rust_take_if(reader, 'L')) {
		uint64_t lifetime = rust_read_base_62(reader);

		if (lifetime) {
			rust_put_lifetime(reader, lifetime);
			rust_put(reader, " ");
		}
	}
	rust_put(reader, is_mutable ? "mut " : "");
	rust_read_type(reader);
}

void rust_read_tuple(struct rust_reader *reader, void (*read)(struct rust_reader *reader))
{
	unsigned int count = 0;

	rust_put(reader, "(");
	for (; !reader->has_failed && !rust_take_if(reader, 'E'); count++) {
		rust_put(reader, count ? ", " : "");
		read(reader);
	}
	rust_put(reader, count == 1 ? ",)" : ")");
}

static void put_abi(struct rust_reader *reader)
{
	struct rust_identifier abi;
	char text[2] = "";

	if (rust_take_if(reader, 'C')) {
		rust_put(reader, "extern \"C\" ");
		return;
	}
	abi = rust_read_plain_identifier(reader);
	rust_put(reader, "extern \"");
	for (size_t i = 0; i < abi.size && !reader->has_failed; i++) {
		text[0] = abi.at[i] == '_' ? '-' : abi.at[i];
		rust_put(reader, text);
	}
	rust_put(reader, "\" ");
}

static void read_function_type(struct rust_reader *reader)
{
	uint64_t bound = rust_read_binder(reader);

	rust_put(reader, rust_take_if(reader, 'U') ? "unsafe " : "");
	if (rust_take_if(reader, 'K'))
		put_abi(reader);
	rust_put(reader, "fn(");
	rust_read_arguments(reader);
	rust_put(reader, ")");
	if (!rust_take_if(reader, 'u')) {
		rust_put(reader, " -> ");
		rust_read_type(reader);
	}
	reader->lifetimes -= bound;
}

/* A path; true: it has arguments, which are not closed yet. */
static bool read_open_path(struct rust_reader *reader)
{
	size_t back;
	bool is_open = false;

	if (!rust_enter(reader)) {
		rust_leave(reader);
		return false;
	}
	if (rust_take_if(reader, 'B')) {
		if (rust_enter_backref(reader, &back)) {
			is_open = read_open_path(reader);
			rust_leave_backref(reader, back);
		}
	} else if (rust_take_if(reader, 'I')) {
		rust_read_path(reader, false);
		rust_put(reader, "<");
		rust_read_arguments(reader);
		is_open = true;
	} else {
		rust_read_path(reader, false);
	}
	rust_leave(reader);
	return is_open;
}

static void read_trait(struct rust_reader *reader)
{
	bool is_open = read_open_path(reader);

	while (rust_take_if(reader, 'p')) {
		struct rust_identifier name;

		rust_put(reader, is_open ? ", " : "<");
		is_open = true;
		name = rust_read_plain_identifier(reader);
		rust_put_identifier(reader, &name);
		rust_put(reader, " = ");
		rust_read_type(reader);
	}
	rust_put(reader, is_open ? ">" : "");
}

static void type_read_dynamic(struct rust_reader *reader)
{
	uint64_t bound, lifetime;

	rust_put(reader, "dyn ");
	bound = rust_read_binder(reader);
	for (bool is_first = true; !reader->has_failed && !rust_take_if(reader, 'E');
	     is_first = false) {
		rust_put(reader, is_first ? "" : " + ");
		read_trait(reader);
	}
	reader->lifetimes -= bound;
	if (!rust_take_if(reader, 'L'))
		rust_fail(reader);
	lifetime = rust_read_base_62(reader);
	if (lifetime && !reader->has_failed) {
		rust_put(reader, " + ");
		rust_put_lifetime(reader, lifetime);
	}
}

/* The pattern of a type: "R" two constants, "O" several of these, "N" all but null. */
static void read_pattern(struct rust_reader *reader)
{
	char tag = rust_take(reader);

	if (!rust_enter(reader)) {
		rust_leave(reader);
		return;
	}
	if (tag == 'R') {
		rust_read_const(reader, false);
		rust_put(reader, "..=");
		rust_read_const(reader, false);
	} else if (tag == 'O') {
		for (bool is_first = true; !reader->has_failed && !rust_take_if(reader, 'E');
		     is_first = false) {
			rust_put(reader, is_first ? "" : " | ");
			read_pattern(reader);
		}
	} else if (tag == 'N') {
		rust_put(reader, "!null");
	} else {
		rust_fail(reader);
	}
	rust_leave(reader);
}

static void read_array(struct rust_reader *reader, bool has_length)
{
	rust_put(reader, "[");
	rust_read_type(reader);
	if (has_length) {
		rust_put(reader, "; ");
		rust_read_const(reader, true);
	}
	rust_put(reader, "]");
}

static void read_type_of(struct rust_reader *reader, char tag)
{
	const char *basic = basic_type(tag);
	size_t back;

	switch (tag) {
	case 'R':
	case 'Q':
		type_read_reference(reader, tag == 'Q');
		break;
	case 'P':
	case 'O':
		rust_put(reader, tag == 'P' ? "*const " : "*mut ");
		rust_read_type(reader);
		break;
	case 'A':
	case 'S':
		read_array(reader, tag == 'A');
		break;
	case 'T':
		rust_read_tuple(reader, rust_read_type);
		break;
	case 'F':
		read_function_type(reader);
		break;
	case 'D':
		type_read_dynamic(reader);
		break;
	case 'W':
		rust_read_type(reader);
		rust_put(reader, " is ");
		read_pattern(reader);
		break;
	case 'B':
		if (rust_enter_backref(reader, &back)) {
			rust_read_type(reader);
			rust_leave_backref(reader, back);
		}
		break;
	default:
		if (basic) {
			rust_put(reader, basic);
			break;
		}
		reader->at--;
		rust_read_path(reader, false);
	}
}

void rust_read_type(struct rust_reader *reader)
{
	char tag;

	if (rust_enter(reader)) {
		tag = rust_take(reader);
		if (!reader->has_failed)
			read_type_of(reader, tag);
	}
	rust_leave(reader);
}

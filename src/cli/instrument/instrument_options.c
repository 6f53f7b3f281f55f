/* The table of options.  Letters and names are those of rocprof-sys-instrument. */
#include "cli/instrument/instrument_options.h"

#include "cli/instrument/instrument_report.h"

#define ROW(letter, letters, name, kind, action, effect, argument, help, why, own)                 \
	{                                                                                          \
		{letter, name, OPTION_##kind, NULL, argument, help}, letters, ACTION_##action,     \
			effect, GROUP_GENERAL, why, own                                            \
	}
#define SETS(letter, letters, name, kind, effect, argument, help)                                  \
	ROW(letter, letters, name, kind, SET, effect, argument, help, NULL, 0)
#define OWN(letter, name, kind, id, argument, help)                                                \
	ROW(letter, NULL, name, kind, OWN, "", argument, help, NULL, id)
#define NEEDLESS_LETTER(letter, name, kind, why)                                                   \
	ROW(letter, NULL, name, kind, NEEDLESS, "", "", "", why, 0)
#define NEEDLESS(name, kind, why) NEEDLESS_LETTER(0, name, kind, why)
#define NOTED_LETTER(letter, name, kind, why)                                                      \
	ROW(letter, NULL, name, kind, NOTED, "", "", "", why, 0)
#define NOTED(name, kind, why) NOTED_LETTER(0, name, kind, why)

static const struct vocabulary_row rows[] = {
	SETS(0, NULL, "timing", ONE, "FUNCTIONS_TIMING", "sampled|coarse|full",
	     "How calls are timed (default: full with --trace, else sampled)"),
	SETS(0, NULL, "cost", ONE, "FUNCTIONS_TIMING", "counts|coarse|full",
	     "An older name of --timing; counts is sampled"),
	SETS(0, NULL, "serialize", FLAG, "FUNCTIONS_SERIALIZE=ON", "",
	     "With coarse and full: read the clock between serializing instructions, for functions "
	     "of less than 100 ns per call"),
	SETS(0, NULL, "budget", ONE, "FUNCTIONS_BUDGET", "PERCENT",
	     "Limit of the overhead: above it functions called most are only counted"),
	SETS('I', NULL, "function-include", ITEMS, "FUNCTIONS_INCLUDE", "REGEX...",
	     "Record these functions whatever their size, linkage and visibility"),
	SETS('E', NULL, "function-exclude", ITEMS, "FUNCTIONS_EXCLUDE", "REGEX...",
	     "Do not record these functions"),
	SETS('R', NULL, "function-restrict", ITEMS, "FUNCTIONS_RESTRICT", "REGEX...",
	     "Record only these functions"),
	SETS(0, NULL, "caller-include", ITEMS, "FUNCTIONS_CALLER_INCLUDE", "REGEX...",
	     "As --function-include, for functions that call one of these"),
	SETS(0, "MI", "module-include", ITEMS, "FUNCTIONS_MODULE_INCLUDE", "REGEX...",
	     "Record functions of these libraries, too"),
	SETS(0, "ME", "module-exclude", ITEMS, "FUNCTIONS_MODULE_EXCLUDE", "REGEX...",
	     "Record no functions of these files; given alone, those of all others"),
	SETS(0, "MR", "module-restrict", ITEMS, "FUNCTIONS_MODULE_RESTRICT", "REGEX...",
	     "Record only functions of these files"),
	SETS(0, NULL, "internal-library-append", ITEMS, "FUNCTIONS_INTERNAL_APPEND", "LIB...",
	     "With -ME alone: these libraries are internal, too, and left out"),
	SETS(0, NULL, "internal-library-remove", ITEMS, "FUNCTIONS_INTERNAL_REMOVE", "LIB...",
	     "With -ME alone: these are not internal, and are recorded"),
	SETS(0, NULL, "instruction-exclude", ITEMS, "FUNCTIONS_INSTRUCTION_EXCLUDE", "REGEX...",
	     "Record no function with an instruction whose text matches: '^xsave', 'zmm'"),
	SETS('i', NULL, "min-instructions", ONE,
	     "FUNCTIONS_MIN_INSTRUCTIONS ?FUNCTIONS_MIN_BYTES=0", "N",
	     "Record no function of fewer instructions, and reset the minimum size in bytes"),
	SETS('r', NULL, "min-address-range", ONE,
	     "FUNCTIONS_MIN_BYTES ?FUNCTIONS_MIN_INSTRUCTIONS=0", "N",
	     "Record no function of fewer bytes, and reset the minimum size in instructions"),
	SETS('l', NULL, "instrument-loops", FLAG, "FUNCTIONS_LOOPS=ON", "",
	     "Record the outermost loops of functions, too (timing: full unless coarse is given)"),
	SETS(0, NULL, "min-instructions-loop", ONE, "FUNCTIONS_LOOPS_MIN_INSTRUCTIONS", "N",
	     "Record no loop of fewer instructions"),
	SETS(0, NULL, "min-address-range-loop", ONE, "FUNCTIONS_LOOPS_MIN_BYTES", "N",
	     "Record no loop of fewer bytes"),
	SETS(0, NULL, "args", ITEMS, "FUNCTIONS_ARGS ?TRACE=ON", "REGEX...",
	     "Trace each call of these functions with its arguments; others are counted"),
	SETS(0, NULL, "retval", ITEMS, "FUNCTIONS_RETVAL ?TRACE=ON", "REGEX...",
	     "Likewise with its return value"),
	SETS(0, NULL, "linkage", LIST, "FUNCTIONS_LINKAGE", "WORD...",
	     "Only functions of these: global, local, weak, unknown"),
	SETS(0, NULL, "visibility", LIST, "FUNCTIONS_VISIBILITY", "WORD...",
	     "Only functions of these: default, hidden, protected, unknown"),
	SETS(0, NULL, "filter-file", ONE, "FUNCTIONS_FILTER_FILE", "FILE",
	     "Rules that include and exclude functions; 'kymo report --score' writes one"),
	OWN('o', "output", ONE, OWN_OUTPUT, "FILE",
	    "Write an instrumented copy of a program or library, and run nothing"),
	OWN(0, "env", ITEMS, OWN_ENVIRONMENT, "NAME=VALUE...",
	    "With -o: variables that the copy has by default when it is recorded"),
	OWN(0, "simulate", FLAG, OWN_SIMULATE, "", "Only select functions, and print their number"),
	OWN(0, "print-available", ONE_OF, OWN_PRINT_AVAILABLE, INSTRUMENT_WORDS,
	    "List all functions"),
	OWN(0, "print-instrumented", ONE_OF, OWN_PRINT_INSTRUMENTED, INSTRUMENT_WORDS,
	    "List the recorded functions"),
	OWN(0, "print-excluded", ONE_OF, OWN_PRINT_EXCLUDED, INSTRUMENT_WORDS,
	    "List the excluded functions"),
	OWN(0, "print-overlapping", ONE_OF, OWN_PRINT_OVERLAPPING, INSTRUMENT_WORDS,
	    "List functions that share bytes with others"),
	OWN(0, "print-format", LIST, OWN_PRINT_FORMAT, "txt,json,xml",
	    "Write these lists as files, with the reason of each function"),
	OWN(0, "print-dir", ONE, OWN_PRINT_DIRECTORY, "DIR",
	    "Folder of these files (default: 'instrumentation' in the output folder; formats: txt, "
	    "json)"),
	NEEDLESS("internal-function-include", ITEMS,
		 "no function is excluded for its name alone; -E and -R exclude functions"),
	NEEDLESS("internal-module-include", ITEMS,
		 "-MI and -MR take internal libraries like all others"),
	NOTED("internal-library-deps", ITEMS,
	      "libraries are internal by their own names; --internal-library-append has more"),
	NOTED("dynamic-callsites", FLAG,
	      "functions that call through pointers are recorded like all others"),
	NOTED("allow-overlapping", FLAG,
	      "functions that share bytes are recorded where that is certain, and listed with "
	      "their reason where it is not"),
	NOTED("traps", FLAG, "no function needs a trap: they are slower than what is measured"),
	NOTED("loop-traps", FLAG, "no loop needs a trap: they are slower than what is measured"),
	NOTED("parse-all-modules", FLAG, "files are analysed on demand, once for all runs"),
	NOTED("all-functions", FLAG,
	      "all functions are recorded unless other options exclude some"),
	NOTED_LETTER('m', "main-function", ONE,
		     "recording begins before main, whatever its name is"),
	NEEDLESS_LETTER('p', "pid", ONE, "'kymo attach PID --functions' records a running program"),
	NOTED("mpi", FLAG,
	      "ranks are distinguished automatically: mpirun -n 4 kymo instrument -- PROGRAM"),
	NEEDLESS("label", LIST,
		 "--args and --retval record values; files and lines are in the reports"),
	ROW('M', NULL, "mode", ONE, WORDS_EXACT, "", "WORD",
	    "Record only this: trace, profile, sampling", NULL, 0),
	NEEDLESS("load-instr", ONE,
		 "--filter-file takes a list of functions, --simulate lists them"),
	NEEDLESS("dump-info", FLAG, "--print-format writes the reports"),
	NOTED("command", FLAG, "--verbose shows what the program is started with"),
	NOTED("force", FLAG, "all possible functions are instrumented; reports explain the others"),
	NOTED_LETTER('e', "error", FLAG, "errors are one line and an exit status"),
	NOTED("log", ONE, "errors are one line, and reports have all reasons"),
	NOTED("log-file", ONE, "errors are one line on standard error"),
	NOTED("prefer", ONE, "Kymo's own libraries are always shared ones"),
	NOTED_LETTER('L', "library", ONE, "the library that records comes with Kymo"),
	NEEDLESS("load", ITEMS, "recording needs no other library"),
	NEEDLESS("init-functions", ITEMS, "recording needs no library's initialisation"),
	NEEDLESS("fini-functions", ITEMS, "recording needs no library's finalisation"),
	NOTED_LETTER('b', "batch-size", ONE, "all functions are instrumented at once"),
	NOTED("dyninst-rt", ONE, "there is no Dyninst in Kymo"),
	NOTED("dyninst-options", LIST, "there is no Dyninst in Kymo"),
};

const struct vocabulary_dialect instrument_dialect = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(*rows),
	.topic = "functions",
	.title = "native functions",
};

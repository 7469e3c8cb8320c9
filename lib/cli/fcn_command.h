/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Commands of the console and of configuration files. A command is declared
 * once; its parser, its help, its completion and its page in the documentation
 * come from that declaration.
 *
 * Syntax of a declaration: words stand for themselves; `<key:type>` is an
 * argument; `<key:a|b|c>` is an argument that is one of some words; what is in
 * `[ ... ]` is optional, and brackets can be nested. A command begins with a word.
 * Example: "queue <port:name> <class:class> detector step <threshold:size> [leave <leave:size>]".
 *
 * Types: name (letters, digits and ._:-/), number (decimal or 0x),
 * class (0..7, or all), rate (bits/s: 10G, 2.5G, 100M, 64K, 1000),
 * count (1M, 250K: SI powers), size (bytes: 200K, 1.5M, 9216; K = 1000,
 * Ki = 1024), time (4us, 100ns, 5ms, 300s; a bare number is refused but 0),
 * ratio (0.2, 20%, 1/8, 2: in billionths, and what a fraction has beyond them is cut off),
 * addr, addr6, addr4, prefix (host bits are kept), mac (02:00:00:00:00:01),
 * vlans (10,20-30, each 1..4094), names (h1,h2 or h[1-16]: characters are
 * checked, nothing is expanded), text (the rest of the line; nothing can
 * follow it). Decimal fractions are exact: what is not a whole number of bits,
 * bytes, nanoseconds or billionths is refused, and so is what does not fit 64 bits.
 *
 * A line is UTF-8 without control characters (tabs are blanks) and ends in
 * "\n", "\r\n" or nothing. '#' at the beginning of a word starts a comment; any
 * other belongs to its word, also within a text. Words can be abbreviated only where
 * FCN_COMMAND_ALLOW_SHORT says so, as long as the line has one meaning.
 * If a line matches several commands, their first difference decides: a literal
 * word has priority over a choice, then a value, a name, a text.
 *
 * Thread safety: a table does not change after it was created, so any thread but
 * workers may use it. The functions that commands run may be restricted to a
 * thread.
 */

#ifndef FCN_COMMAND_H
#define FCN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_ether.h>

#include "fcn_addr.h"
#include "fcn_role.h"

#define FCN_COMMAND_MAX_ARGS 12 /**< maximum number of arguments of a command */
/** Size of the longest name or text, with terminator: 16 IPv6 addresses with commas. */
#define FCN_COMMAND_MAX_TEXT 640
/**
 * Maximum length of a line in bytes, without the line's end. At a terminal it is 512 with DPDK
 * before 24.07.
 */
#define FCN_COMMAND_MAX_LINE 1024
/**
 * Maximum length of a file in bytes, more than any configuration needs. It ends the reading of
 * devices that have no end.
 */
#define FCN_COMMAND_MAX_FILE (UINT64_C(1) << 26)

/** Value of the class argument "all". */
#define FCN_ARG_CLASS_ALL UINT64_MAX

struct fcn_session;
struct fcn_args;

/** Where a command is allowed. */
enum fcn_command_kind {
	FCN_COMMAND_CONFIG, /**< changes the configuration; allowed in configuration files */
	FCN_COMMAND_ACTION, /**< shows or does something now; console only */
};

/** Declaration of a command. */
struct fcn_command {
	const char *syntax;
	const char *help; /**< one sentence without a full stop */
	enum fcn_command_kind kind;
	/**
	 * Run the command.
	 *
	 * @return 0, or a negative errno after fcn_command_error(). Without a call to it the text
	 *  of the errno is shown.
	 */
	int (*run)(struct fcn_session *session, const struct fcn_args *args);
	const void *data; /**< for run(), which gets it by fcn_args_data() */
	/**
	 * Syntax of the command that takes this one back, as "no set port <port:name> rate", and
	 * the function that runs it, as run(). NULL: a command with the word `remove` has such a
	 * form without that word ("no route [add] <prefix>" for "route remove <prefix>"), which
	 * run() runs; others have none. It is in no reference.
	 */
	const char *no;
	int (*run_no)(struct fcn_session *session, const struct fcn_args *args);
	/** a former way to write a command: understood, but in no help, completion and reference */
	bool former;
	enum fcn_role role; /**< the role that it needs, see fcn_command_table_gate() */
};

/** Help about an optional word of commands. */
struct fcn_command_option {
	const char *command; /**< commands whose syntax begins so have it; "": all */
	const char *word;    /**< the word, or the key of an argument without one */
	const char *help;    /**< a phrase without full stop */
};

/** A family of commands, with a heading in the documentation. Adjacent groups of the same title
 * have one heading. */
struct fcn_command_group {
	const char *title;
	const struct fcn_command *commands;
	size_t n_commands;
	void *memory; /**< memory of the commands, which the table frees; NULL: none is freed */
	/** help about optional words of these commands, besides fcn_command_table_options() */
	const struct fcn_command_option *options;
	size_t n_options;
};

/** Where and why a line is wrong. */
struct fcn_diag {
	unsigned int column; /**< in characters, from 1 on; 0: nothing is wrong */
	char message[512];   /**< one line without full stop */
};

/* ---- arguments, for run(): what is returned is valid until run() returns ---- */

/** Tell whether the line has an argument of this key, or this literal word. */
bool fcn_args_has(const struct fcn_args *args, const char *key);
/** Tell whether the line has an argument of this key. Literal words do not count. */
bool fcn_args_given(const struct fcn_args *args, const char *key);
/** Get an argument of type name, names or text, or a choice. @return NULL if it was not given */
const char *fcn_args_str(const struct fcn_args *args, const char *key);
/**
 * Get an argument of type number, class, rate (bits per second), count, size (bytes), time (ns) or
 * ratio (billionths).
 *
 * @return fallback if it was not given
 */
uint64_t fcn_args_u64(const struct fcn_args *args, const char *key, uint64_t fallback);
/** Get an argument of type addr, addr6 or addr4. @return NULL if it was not given */
const struct fcn_addr *fcn_args_addr(const struct fcn_args *args, const char *key);
/** Get an argument of type prefix, with its host bits. @return NULL if it was not given */
const struct fcn_prefix *fcn_args_prefix(const struct fcn_args *args, const char *key);
/** Get an argument of type mac. @return NULL if it was not given */
const struct rte_ether_addr *fcn_args_mac(const struct fcn_args *args, const char *key);
/** Get an argument of type vlans: a bit set of VLAN IDs in 64 words. @return NULL if it was not
 * given */
const uint64_t *fcn_args_vlans(const struct fcn_args *args, const char *key);

/** Store a number in a member of 1, 2, 4 or 8 bytes, for what a table says a command sets. */
void fcn_command_store(void *object, size_t offset, size_t size, uint64_t value);

/** Get fcn_command.data of the command that is run. */
const void *fcn_args_data(const struct fcn_args *args);

/**
 * Report what is wrong with an argument or literal word.
 *
 * @param err a negative errno
 * @param key the argument or word at whose column the error is; NULL, or one that was not given:
 *            the first word of the line
 * @param fmt message of one line without full stop, as for printf()
 * @return err, so that run() can end by `return fcn_command_error(...)`
 */
int fcn_command_error(const struct fcn_args *args, int err, const char *key, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));

/* ---- the table ---- */

struct fcn_command_table;

/**
 * Create a table from declarations. A wrong declaration is a programming error and is reported on
 * standard error, as is one that can be written exactly like another.
 *
 * @param groups copied; their commands must outlive the table. The table frees
 *               fcn_command_group.memory, also when this function fails.
 * @return to be freed with fcn_command_table_free(); NULL on failure
 */
struct fcn_command_table *fcn_command_table_create(
		const struct fcn_command_group *groups, size_t n_groups);
/**
 * Give a table help about options, for completion. Of several that fit, the one with the longest
 * beginning of a command holds.
 *
 * @param options must outlive the table
 */
void fcn_command_table_options(struct fcn_command_table *table,
		const struct fcn_command_option *options, size_t n);

/** The words of a command of other programs, and what it is called here. */
struct fcn_command_foreign {
	const char *typed; /**< words with a blank between them; NULL ends a list */
	const char *meant; /**< a command, or several */
};

/**
 * Let errors about words that no command has name the command that is meant. Such words are neither
 * accepted nor completed.
 *
 * @param foreign has to outlive the table
 */
void fcn_command_table_foreign(
		struct fcn_command_table *table, const struct fcn_command_foreign *foreign);

/**
 * Have a function decide about each command before it is run. Without it, all are run.
 *
 * @param gate what decides. @return 0; a negative errno with a message in diag, and then the
 *             command is not run
 */
void fcn_command_table_gate(struct fcn_command_table *table,
		int (*gate)(struct fcn_session *session, const struct fcn_command *command,
				struct fcn_diag *diag));

/** Free a table. NULL is allowed. */
void fcn_command_table_free(struct fcn_command_table *table);

/** Which commands a line may have: all, only those of configuration files, or all with abbreviated
 * words. */
#define FCN_COMMAND_ALLOW_ALL 0
#define FCN_COMMAND_ALLOW_CONFIG 1
#define FCN_COMMAND_ALLOW_SHORT 2

/**
 * Parse and run one line. A line that is empty or only a comment does nothing.
 *
 * @param session passed to the command
 * @param allow   FCN_COMMAND_ALLOW_*
 * @param diag    on failure, the column and what is wrong or was expected there; may be NULL
 * @return 0; -EINVAL: the line is no command; -EPERM: it is not allowed; -E2BIG: it is too long;
 *  -EILSEQ: it is not UTF-8 or has a control character; or what the gate or the command returned
 */
int fcn_command_run(const struct fcn_command_table *table, struct fcn_session *session,
		const char *line, int allow, struct fcn_diag *diag);

/**
 * Run all lines of a stream, which may have configuration commands only. The lines after a wrong
 * one are run, too, so that all errors are reported at once. The caller therefore has to throw away
 * the configuration that they change if any line is wrong.
 *
 * @param in   not closed
 * @param file name of the stream in messages
 * @param err  gets a line "FILE:LINE:COLUMN: message" for each of the first 20 errors, and then the
 *             number of further ones
 * @return number of wrong lines; a negative errno if the stream cannot be read, about which nothing
 *         is written; -EFBIG: it has more than FCN_COMMAND_MAX_FILE bytes
 */
int fcn_command_run_stream(const struct fcn_command_table *table, struct fcn_session *session,
		FILE *in, const char *file, FILE *err);

/**
 * Write help about all commands, about those that begin with the words of prefix or, if there are
 * none, about those of the topics whose titles begin with prefix, in upper or lower case.
 *
 * @param prefix the last word may be incomplete; NULL or "": all commands
 */
void fcn_command_help(const struct fcn_command_table *table, const char *prefix, FILE *out);

/** Write the topics, which are the titles of the groups of commands, each with the first words of
 * its commands. */
void fcn_command_topics(const struct fcn_command_table *table, FILE *out);

/** Write the console reference, a Markdown page, from the declarations. */
void fcn_command_reference(const struct fcn_command_table *table, FILE *out);

/** Write the configuration commands as part of a manual page, in mdoc(7): a subsection for each
 * title. */
void fcn_command_manual(const struct fcn_command_table *table, FILE *out);

/** Write which role each command needs, as a table in Markdown with a row for each topic and role.
 */
void fcn_command_roles(const struct fcn_command_table *table, FILE *out);

/** Write the part of the reference that is the same for every table: syntax, types and commands. */
void fcn_command_reference_body(const struct fcn_command_table *table, FILE *out);

#endif /* FCN_COMMAND_H */

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
 * argument; `<key:a|b|c>` one of some words; `[ ... ]` may be left out, and may
 * be within another. The first thing is a word.
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
 * other belongs to its word, also within a text. Words cannot be abbreviated.
 * Where a line is more than one command, the one wins that has a literal word
 * at their earliest difference, then a choice, a value, a name, a text.
 *
 * Nothing here is for workers. A table is not changed after it is made: any
 * thread may use it.
 */

#ifndef FCN_COMMAND_H
#define FCN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_ether.h>

#include "fcn_addr.h"

#define FCN_COMMAND_MAX_ARGS 12
#define FCN_COMMAND_MAX_TEXT 512 /**< longest name or text argument, terminator included */
/** Bytes, without the line's end. At a terminal no more than 512 before DPDK 24.07. */
#define FCN_COMMAND_MAX_LINE 1024
/** Bytes of a file: far more than any configuration has. A device would never end. */
#define FCN_COMMAND_MAX_FILE (UINT64_C(1) << 26)

/** Class argument "all". */
#define FCN_ARG_CLASS_ALL UINT64_MAX

struct fcn_session;
struct fcn_args;

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
	 * @return 0, or a negative errno after fcn_command_error(). Without a
	 *         call to it the errno's own text is shown.
	 */
	int (*run)(struct fcn_session *session, const struct fcn_args *args);
	const void *data; /**< for run(), by fcn_args_data() */
	/** A former way to write a command: it is understood, and named nowhere. */
	bool former;
};

/** A family of commands: a heading of the documentation. Groups of the same title that follow each
 * other have one heading. */
struct fcn_command_group {
	const char *title;
	const struct fcn_command *commands;
	size_t n_commands;
	void *memory; /**< of commands that were made: the table frees it; NULL: there is none */
};

/** Where and why a line is wrong. */
struct fcn_diag {
	unsigned int column; /**< in characters; 1 is the first, 0 when nothing is wrong */
	char message[512];
};

/* ---- arguments, for run() ---- */

/** Whether the line gave this argument (or, for a name without an argument, this literal word). */
bool fcn_args_has(const struct fcn_args *args, const char *key);
/** Whether the line gave this argument, whatever words it has. */
bool fcn_args_given(const struct fcn_args *args, const char *key);
/** name, names, text and `a|b|c` arguments; NULL when not given. */
const char *fcn_args_str(const struct fcn_args *args, const char *key);
/** number, class, rate (bits/s), count, size (bytes), time (ns), ratio (1e-9); fallback when not
 * given. */
uint64_t fcn_args_u64(const struct fcn_args *args, const char *key, uint64_t fallback);
const struct fcn_addr *fcn_args_addr(const struct fcn_args *args, const char *key);
const struct fcn_prefix *fcn_args_prefix(const struct fcn_args *args, const char *key);
const struct rte_ether_addr *fcn_args_mac(const struct fcn_args *args, const char *key);
/** vlans: a bit set of 4096, 64 words; NULL when not given. */
const uint64_t *fcn_args_vlans(const struct fcn_args *args, const char *key);

/** What the declaration of the command holds for run(). */
const void *fcn_args_data(const struct fcn_args *args);

/**
 * Say what is wrong with an argument or literal word (key NULL, or one that was
 * not given: with the command, that is in the column of its first word).
 * @return err, for `return fcn_command_error(...)`.
 */
int fcn_command_error(const struct fcn_args *args, int err, const char *key, const char *fmt, ...)
		__attribute__((format(printf, 4, 5)));

/* ---- the table ---- */

struct fcn_command_table;

/**
 * Compile declarations; a bad declaration is a programming error and is
 * reported on stderr, as is one that can be written exactly like another. The
 * commands of the groups must outlive the table; the memory of groups is the
 * table's from now on, and is freed when this fails, too.
 * @return NULL then.
 */
struct fcn_command_table *fcn_command_table_create(
		const struct fcn_command_group *groups, size_t n_groups);
void fcn_command_table_free(struct fcn_command_table *table);

/** Which kinds of command a line may be. */
#define FCN_COMMAND_ALLOW_ALL 0
#define FCN_COMMAND_ALLOW_CONFIG 1

/**
 * Parse and run one line. Empty lines and comments ('#' to the end of line) are fine and do
 * nothing.
 *
 * @param allow FCN_COMMAND_ALLOW_*
 * @param diag  filled on failure: column and what was expected there, every alternative named
 * @return 0; -EINVAL when the line is no command, -EPERM when it is not allowed,
 *         -E2BIG when it is too long, -EILSEQ for a character that no line can
 *         have; or what the command returned
 */
int fcn_command_run(const struct fcn_command_table *table, struct fcn_session *session,
		const char *line, int allow, struct fcn_diag *diag);

/**
 * Run every line of a stream, configuration commands only. Goes on after a bad line so that all
 * mistakes are reported at once: "FILE:LINE:COLUMN: message" lines on err (20 of
 * them, then how many more there are).
 *
 * The caller runs it against a candidate configuration and throws that away on failure.
 *
 * @param in   stays open
 * @param file what messages call it
 * @return number of bad lines, or a negative errno when the stream cannot be read, about which
 *         nothing is written; -EFBIG for one of more than 64 MiB
 */
int fcn_command_run_stream(const struct fcn_command_table *table, struct fcn_session *session,
		FILE *in, const char *file, FILE *err);

/** Write help: all commands under their titles, or those that begin with the words of prefix. */
void fcn_command_help(const struct fcn_command_table *table, const char *prefix, FILE *out);

/** Write the console reference, a Markdown page, from the declarations. */
void fcn_command_reference(const struct fcn_command_table *table, FILE *out);

/** Write the configuration commands as part of a manual page, in mdoc(7): a subsection for each
 * title. */
void fcn_command_manual(const struct fcn_command_table *table, FILE *out);

/** The part of it that holds for any language of commands: syntax, types, the commands. */
void fcn_command_reference_body(const struct fcn_command_table *table, FILE *out);

#endif /* FCN_COMMAND_H */

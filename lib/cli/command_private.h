/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of the command framework share: values, the tokens and
 * instances of rte_cmdline that are created from declarations, and a line that is
 * split into words. Internal to lib/cli.
 */

#ifndef FCN_COMMAND_PRIVATE_H
#define FCN_COMMAND_PRIVATE_H

#include <cmdline_parse.h>
#include <cmdline_parse_string.h>

#include "fcn_command.h"
#include "fcn_command_form.h"

#define FCN_MAX_TOKENS FCN_COMMAND_MAX_WORDS
#define FCN_MAX_INSTANCES 256 /**< maximum number of instances of one declaration */
#define FCN_MAX_WORD 48       /**< longest literal word; rte_cmdline completes with 64 bytes */

/** Kinds of tokens, the most specific one first: if a line matches two instances, the one with the
 * lower kind at their first difference has priority. */
enum fcn_token_kind {
	FCN_TOKEN_WORD,
	FCN_TOKEN_CHOICE,
	FCN_TOKEN_NUMBER,
	FCN_TOKEN_CLASS,
	FCN_TOKEN_RATE,
	FCN_TOKEN_COUNT,
	FCN_TOKEN_SIZE,
	FCN_TOKEN_TIME,
	FCN_TOKEN_RATIO,
	FCN_TOKEN_ADDR,
	FCN_TOKEN_ADDR6,
	FCN_TOKEN_ADDR4,
	FCN_TOKEN_PREFIX,
	FCN_TOKEN_MAC,
	FCN_TOKEN_VLANS,
	FCN_TOKEN_NAME,
	FCN_TOKEN_NAMES,
	FCN_TOKEN_TEXT,
	FCN_TOKEN_KINDS,
};

/** The value of an argument, by its type. */
union fcn_value {
	uint64_t u64;
	char str[FCN_COMMAND_MAX_TEXT];
	struct fcn_addr addr;
	struct fcn_prefix prefix;
	struct rte_ether_addr mac;
	uint64_t vlans[64];
};

/** The texts about a type in messages, help and the reference. */
struct fcn_value_type {
	const char *name; /**< as in a declaration; NULL for words and choices */
	const char *what; /**< "a rate" */
	const char *hint; /**< "examples: 10G" */
	const char *doc;  /**< a sentence of Markdown */
};

extern const struct fcn_value_type fcn_value_types[FCN_TOKEN_KINDS];

/**
 * Parse the text of a value.
 *
 * @param len length of text, which needs no terminator
 * @param why on failure, a message of one line without full stop; may be NULL
 * @return 0; -EINVAL
 */
int fcn_value_parse(enum fcn_token_kind kind, const char *text, size_t len, union fcn_value *value,
		char *why, size_t why_size);

#define FCN_QUOTE_SIZE 48
/** Copy a text of len bytes for a message; a long one is cut off and ends in "...". @return buf */
const char *fcn_quote(char buf[FCN_QUOTE_SIZE], const char *text, size_t len);

/** A word or argument of a declaration. */
struct fcn_token {
	union {
		struct cmdline_token_hdr hdr;
		struct cmdline_token_string string;
	} dpdk; /**< the first member, since rte_cmdline passes pointers to it */
	enum fcn_token_kind kind;
	unsigned int slot; /**< argument: index in fcn_args.values */
	char *text;        /**< the word; the choice as "a#b#c"; or the name of the type */
	char *key;         /**< name of an argument; NULL for a word */
	char *label;       /**< "<key:type>" for an argument; NULL for a word */
};

/** An instance: a declaration with some of its optional parts, called a form in public headers. */
struct fcn_inst {
	const struct fcn_command *command;
	bool negated; /**< it begins with `no` */
	unsigned int n_tokens;
	/** Index of the next instance with another first word; with others of the first two. */
	size_t next[2];
	struct cmdline_inst dpdk; /* ends in tokens[], NULL-terminated */
};

struct fcn_command_table {
	struct fcn_command_group *groups;
	size_t n_groups;
	struct fcn_inst **insts; /**< the negated ones come last */
	size_t n_insts;
	size_t n_forms; /**< instances that are not negated */
	struct fcn_token **tokens;
	size_t n_tokens;
	const struct fcn_command_option *options;
	size_t n_options;
	const struct fcn_command_foreign *foreign; /**< NULL: none */
	/** see fcn_command_table_gate(); NULL: there is none */
	int (*gate)(struct fcn_session *session, const struct fcn_command *command,
			struct fcn_diag *diag);
	struct cmdline_token_ops word_ops;
	struct cmdline_token_ops value_ops;
};

static inline const struct fcn_token *
fcn_inst_token(const struct fcn_inst *inst, unsigned int i)
{
	return (const struct fcn_token *)(const void *)inst->dpdk.tokens[i];
}

/** The arguments of a command, and the columns where they are. */
struct fcn_args {
	union fcn_value values[FCN_COMMAND_MAX_ARGS];
	char word[STR_TOKEN_SIZE]; /**< rte_cmdline's parser writes each literal word here */
	const struct fcn_inst *inst;
	unsigned int columns[FCN_MAX_TOKENS]; /**< column of each token, from 1 on */
	struct fcn_diag *diag;
};

_Static_assert(offsetof(struct fcn_args, inst) <= CMDLINE_PARSE_RESULT_BUFSIZE,
		"the tokens must be usable with cmdline_parse(), too");

/** A line without comment and trailing blanks, split into words. Words that were abbreviated stand
 * behind it, each with a terminator. */
struct fcn_line {
	char text[FCN_COMMAND_MAX_LINE + 1 + (FCN_MAX_TOKENS + 1) * (FCN_MAX_WORD + 1)];
	size_t len;           /**< length of the line itself */
	size_t end;           /**< bytes of text that are used, with terminators */
	unsigned int n_words; /**< at most one more than the longest command has */
	struct {
		size_t start;
		size_t len;
		size_t at; /**< offset in the line as it was typed */
	} words[FCN_MAX_TOKENS + 1];
};

/** Check the characters and the length of a line, and split it into words. @return 0; -E2BIG or
 * -EILSEQ with a message in diag */
int fcn_line_split(struct fcn_line *line, const char *text, size_t len, struct fcn_diag *diag);
/** Get the column, from 1 on, of word i, or that behind the line if it has fewer words. The words
 * in front of it must match a command, and so be ASCII. */
unsigned int fcn_line_word_column(const struct fcn_line *line, unsigned int i);

/**
 * Replace abbreviated words by the full ones, as far as any command has begun like the line.
 *
 * @return 0; -EINVAL: a word is ambiguous, with a message in diag
 */
int fcn_line_expand(const struct fcn_command_table *table, struct fcn_line *line,
		struct fcn_diag *diag);
/** Count the words of a line that match the tokens of an instance, also abbreviated, from the first
 * on. */
unsigned int fcn_inst_match_short(const struct fcn_inst *inst, const struct fcn_line *line);

/** Tell whether word i of the line matches the token. @param args result: the value of the word;
 * may be NULL */
bool fcn_token_match(const struct fcn_token *token, const struct fcn_line *line, unsigned int i,
		struct fcn_args *args);
/** Count the words of a line that match the tokens of an instance, from the first on. @param
 * complete result: whether these are all words and all tokens */
unsigned int fcn_inst_match(
		const struct fcn_inst *inst, const struct fcn_line *line, bool *complete);
/** Compare the kinds of the first n tokens. @return negative: a is more specific than b at their
 * first difference; positive: b is; 0: there is no difference */
int fcn_inst_compare(const struct fcn_inst *a, const struct fcn_inst *b, unsigned int n);

/** Get the help about token i as an option, or as the argument behind an option. @return NULL:
 * there is none */
const char *fcn_inst_option(
		const struct fcn_command_table *table, const struct fcn_inst *inst, unsigned int i);

/** Tell whether an instance is allowed. @param allow FCN_COMMAND_ALLOW_* */
static inline bool
fcn_inst_allowed(const struct fcn_inst *inst, int allow)
{
	return allow != FCN_COMMAND_ALLOW_CONFIG || inst->command->kind == FCN_COMMAND_CONFIG;
}

/** Get the words with which a syntax begins, two at most. @return their length */
size_t fcn_command_first_words(const char *syntax);
/** Find the first group with the title of this one. */
size_t fcn_command_topic(const struct fcn_command_table *table, size_t group);

/** Find out why no command matches a line, which has at least one word, and write it to diag. */
void fcn_command_diagnose(const struct fcn_command_table *table, const struct fcn_line *line,
		int allow, struct fcn_diag *diag);

/** Run a line of len bytes as fcn_command_run() does. It may contain any bytes. */
int fcn_command_run_bytes(const struct fcn_command_table *table, struct fcn_session *session,
		const char *text, size_t len, int allow, struct fcn_diag *diag);

#endif /* FCN_COMMAND_PRIVATE_H */

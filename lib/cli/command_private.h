/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of the command framework share: values, rte_cmdline tokens
 * and instances made from declarations, and a line cut into words.
 */

#ifndef FCN_COMMAND_PRIVATE_H
#define FCN_COMMAND_PRIVATE_H

#include <cmdline_parse.h>
#include <cmdline_parse_string.h>

#include "fcn_command.h"
#include "fcn_command_form.h"

#define FCN_MAX_TOKENS FCN_COMMAND_MAX_WORDS
#define FCN_MAX_INSTANCES 256 /**< of one declaration, after its optional groups are expanded */
#define FCN_MAX_WORD 48       /**< longest literal word; rte_cmdline completes with 64 bytes */

/** Sorted by how much a token says: of two matches the one with the lower kind at the earliest
 * difference wins. */
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

/** A value as the token's parser leaves it in its slot of the result. */
union fcn_value {
	uint64_t u64;
	char str[FCN_COMMAND_MAX_TEXT];
	struct fcn_addr addr;
	struct fcn_prefix prefix;
	struct rte_ether_addr mac;
	uint64_t vlans[64];
};

/** What messages, help and the reference say about a type. */
struct fcn_value_type {
	const char *name; /**< as in a declaration; NULL for words and choices */
	const char *what; /**< "a rate" */
	const char *hint; /**< "examples: 10G" */
	const char *doc;  /**< a sentence of Markdown */
};

extern const struct fcn_value_type fcn_value_types[FCN_TOKEN_KINDS];

/**
 * Read a value of len bytes.
 * @param why says what is wrong, on failure; may be NULL
 * @return 0, or -EINVAL
 */
int fcn_value_parse(enum fcn_token_kind kind, const char *text, size_t len, union fcn_value *value,
		char *why, size_t why_size);

/** Copy text of len bytes, shortened when it is long, for a message. @return buf. */
#define FCN_QUOTE_SIZE 48
const char *fcn_quote(char buf[FCN_QUOTE_SIZE], const char *text, size_t len);

struct fcn_token {
	union {
		struct cmdline_token_hdr hdr;
		struct cmdline_token_string string;
	} dpdk; /* first: rte_cmdline hands back a pointer to it */
	enum fcn_token_kind kind;
	unsigned int slot; /**< in fcn_args, arguments only */
	char *text;        /**< the word, or "a#b#c" */
	char *key;         /**< of an argument */
	char *label;       /**< "<key:type>" */
};

/** One way to write a command: a declaration with some of its optional groups. */
struct fcn_inst {
	const struct fcn_command *command;
	unsigned int n_tokens;
	struct cmdline_inst dpdk; /* ends in tokens[], NULL-terminated */
};

struct fcn_command_table {
	struct fcn_command_group *groups;
	size_t n_groups;
	struct fcn_inst **insts;
	size_t n_insts;
	struct fcn_token **tokens;
	size_t n_tokens;
	cmdline_parse_ctx_t *ctx; /**< the instances once more, as rte_cmdline wants them */
	struct cmdline_token_ops word_ops;
	struct cmdline_token_ops value_ops;
};

static inline const struct fcn_token *
fcn_inst_token(const struct fcn_inst *inst, unsigned int i)
{
	return (const struct fcn_token *)(const void *)inst->dpdk.tokens[i];
}

/** Arguments of a command: the result buffer of its tokens, and where they stood. */
struct fcn_args {
	union fcn_value values[FCN_COMMAND_MAX_ARGS];
	char word[STR_TOKEN_SIZE]; /**< literal words: rte_cmdline wants to write them somewhere */
	const struct fcn_inst *inst;
	unsigned int columns[FCN_MAX_TOKENS];
	struct fcn_diag *diag;
};

_Static_assert(offsetof(struct fcn_args, inst) <= CMDLINE_PARSE_RESULT_BUFSIZE,
		"the tokens must be usable with cmdline_parse(), too");

/** A line without comment and trailing blanks, cut into words. */
struct fcn_line {
	char text[FCN_COMMAND_MAX_LINE + 1];
	size_t len;
	unsigned int n_words; /**< never more than one above the longest command */
	struct {
		size_t start;
		size_t len;
	} words[FCN_MAX_TOKENS + 1];
};

/** Check characters and length, cut into words. @return 0, or a negative errno with diag filled. */
int fcn_line_split(struct fcn_line *line, const char *text, size_t len, struct fcn_diag *diag);
/** Column (from 1) of word i, or just behind the line when there is none. All words before it
 * match. */
unsigned int fcn_line_word_column(const struct fcn_line *line, unsigned int i);

/** Whether word i of the line is what the token wants; its value goes to args unless that is NULL.
 */
bool fcn_token_match(const struct fcn_token *token, const struct fcn_line *line, unsigned int i,
		struct fcn_args *args);
/** @return how many words match one after the other; *complete when that is all of both. */
unsigned int fcn_inst_match(
		const struct fcn_inst *inst, const struct fcn_line *line, bool *complete);
/** Compare the first n tokens; negative when a says more than b at the earliest difference. */
int fcn_inst_compare(const struct fcn_inst *a, const struct fcn_inst *b, unsigned int n);

static inline bool
fcn_inst_allowed(const struct fcn_inst *inst, int allow)
{
	return allow == FCN_COMMAND_ALLOW_ALL || inst->command->kind == FCN_COMMAND_CONFIG;
}

/** Say why no command matches the line, which has at least one word. */
void fcn_command_diagnose(const struct fcn_command_table *table, const struct fcn_line *line,
		int allow, struct fcn_diag *diag);

/** fcn_command_run() on len bytes, which may contain anything. */
int fcn_command_run_bytes(const struct fcn_command_table *table, struct fcn_session *session,
		const char *text, size_t len, int allow, struct fcn_diag *diag);

#endif /* FCN_COMMAND_PRIVATE_H */

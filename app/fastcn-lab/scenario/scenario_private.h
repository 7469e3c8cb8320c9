/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the files of the scenario's language share. Its commands are declared as the console's are
 * (fcn_command.h). All lines of a scenario are run once in each of several passes: nodes are known
 * before links, and links before everything else, so the order of lines does not matter.
 */

#ifndef LAB_SCENARIO_PRIVATE_H
#define LAB_SCENARIO_PRIVATE_H

#include "scenario.h"
#include "fcn_command.h"

#define LAB_MAX_NAMES 4096 /**< in a list */
#define LAB_MAX_SWITCHES 256
#define LAB_MAX_HOSTS 4096
#define LAB_MAX_LINKS 16384
#define LAB_MAX_FLOWS 1000000
#define LAB_MAX_MESSAGE (UINT64_C(1) << 40) /**< bytes */
#define LAB_DEFAULT_BUFFERS 32768

enum lab_pass {
	LAB_PASS_NODES, /**< parameters, switches and hosts, in the order of the file */
	LAB_PASS_LINKS,
	LAB_PASS_REST, /**< everything else, which is about nodes and links */
	LAB_PASS_COUNT
};

/** A definition: `let name = text`. */
struct lab_let {
	char name[LAB_NAME_LEN];
	char *text; /**< earlier definitions in it replaced */
	struct lab_place place;
};

/** Which of a link's faults an action changes; the others stay as they are. */
struct lab_fault {
	enum {
		LAB_FAULT_LOSS,
		LAB_FAULT_DUPLICATE,
		LAB_FAULT_CORRUPT,
		LAB_FAULT_REORDER,
		LAB_FAULT_NOTICES
	} kind;
	uint32_t ratio;
	uint64_t time_ns; /**< REORDER */
};

/** A change of a link's faults at a time. */
struct lab_fault_change {
	struct lab_fault fault;
	uint64_t time_ns;
	unsigned int link, direction;
	struct lab_place place;
};

/** A line of the file. */
struct lab_read_line {
	char *text;       /**< parameters replaced */
	uint16_t *origin; /**< column in the file of each byte, NULL: the same */
	unsigned int number;
	bool bad; /**< its error was reported; it is not run in later passes */
};

/** A scenario being read. */
struct lab_reader {
	const struct fcn_command_table *table;
	struct lab_scenario *sc;
	enum lab_pass pass;
	struct lab_place place;           /**< of the line that is run */
	const struct lab_read_line *line; /**< that line; NULL: it is no line of the file */
	struct fcn_diag *diag;            /**< of that line */
	bool setting;                     /**< it is a setting of the command line */
	FILE *err;
	unsigned int n_errors, n_warnings;
	bool half_read; /**< errors in earlier passes: something may be missing for them */
	struct lab_let *let;
	unsigned int n_lets;
	struct lab_fault_change *change;
	unsigned int n_changes;
	struct lab_place endless; /**< of a flow without end */
};

/** The reader is the session of the commands of scenarios. */
static inline struct fcn_session *
lab_reader_session(struct lab_reader *r)
{
	return (struct fcn_session *)(void *)r;
}

static inline struct lab_reader *
lab_reader_of(struct fcn_session *session)
{
	return (struct lab_reader *)(void *)session;
}

/** The reader when it is in this pass; NULL: the command has nothing to do in the present one. */
static inline struct lab_reader *
lab_reader_in(struct fcn_session *session, enum lab_pass pass)
{
	struct lab_reader *r = lab_reader_of(session);

	return r->pass == pass ? r : NULL;
}

/**
 * Append an item of zeros to an array.
 *
 * @param slot where the pointer to the array is
 * @return the item, NULL when there is no memory
 */
void *lab_push(void *slot, unsigned int *n, size_t size);

/** "FILE:LINE:COLUMN: message" to the reader's err; after 20 of them they are only counted. */
void lab_report_error(struct lab_reader *r, const struct lab_place *place, unsigned int column,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/** The same with "warning: "; the scenario is good for all that. */
void lab_warning(struct lab_reader *r, const struct fcn_args *args, const char *key,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** The column in the file of an argument, or of the line when key is NULL. */
unsigned int lab_column(struct lab_reader *r, const struct fcn_args *args, const char *key);

/** The octets of a file, and a 0 behind them. @return NULL with a negative errno in rc */
char *lab_read_file(const char *file, size_t *size, int *rc);

/** Path of a file that is named relative to the scenario's folder. @return NULL: no memory */
char *lab_beside(const struct lab_scenario *sc, const char *file);

/** Whether a word is a command with a value that the command line may set as if it were a
 * parameter: seed, duration, ... */
bool lab_is_scalar(const char *name);

/* ---- names (scenario_names.c) ---- */

/** The names a list stands for. */
struct lab_names {
	char (*name)[LAB_NAME_LEN];
	unsigned int n;
};

/** Expand a list: h1,h[2-4] is four names. @return 0, or -EINVAL with a message in err */
int lab_names_expand(const char *list, struct lab_names *names, char *err, size_t err_size);
void lab_names_free(struct lab_names *names);
/** The names an argument stands for; an error is reported. @return 0 or a negative errno */
int lab_names_of(const struct fcn_args *args, const char *key, struct lab_names *names);

/** Whether a name is allowed. @return NULL, or the end of a sentence that says why it is not */
const char *lab_name_error(const char *name);

/** Nodes that a list names. */
struct lab_nodes {
	struct lab_node *node;
	unsigned int n;
};

#define LAB_SWITCHES (1u << LAB_SWITCH)
#define LAB_HOSTS (1u << LAB_HOST)

/** Whether there is a node of that name. */
bool lab_node_find(const struct lab_scenario *sc, const char *name, struct lab_node *node);
const char *lab_node_name(const struct lab_scenario *sc, struct lab_node node);
/** The nodes an argument names, "all" is every one of the kinds; an error is reported. */
int lab_nodes_of(struct lab_reader *r, const struct fcn_args *args, const char *key,
		unsigned int kinds, struct lab_nodes *nodes);
void lab_nodes_free(struct lab_nodes *nodes);
/** As lab_nodes_of(), exactly one. */
int lab_node_of(struct lab_reader *r, const struct fcn_args *args, const char *key,
		unsigned int kinds, struct lab_node *node);

/**
 * Pairs of two lists: one to one when they have as many names, else all of the one with the single
 * name of the other; an error is reported.
 */
int lab_pairs_of(struct lab_reader *r, const struct fcn_args *args, const char *a, const char *b,
		struct lab_nodes ends[2]);

/* ---- what commands share ---- */

/** Take the argument "name" for a flow; an error is reported. */
int lab_flow_name(const struct fcn_args *args, struct lab_flow *flow);
/** Take the argument "dscp", or its default; an error is reported. */
int lab_flow_dscp(const struct fcn_args *args, struct lab_flow *flow);
/** Whether no flows have that name yet; an error is reported. */
int lab_flow_check_new(
		const struct lab_scenario *sc, const struct fcn_args *args, const char *name);
/** Add a flow; an error is reported. */
int lab_flow_push(struct lab_reader *r, const struct fcn_args *args, const struct lab_flow *flow);

/* ---- what is said of links (scenario_cmd_fault.c) ---- */

#define LAB_BOTH 2u /**< directions of a link: 0, 1, or both */

/** Links between nodes, and the direction of each that is meant. */
struct lab_chosen {
	unsigned int *link;
	unsigned int *direction;
	unsigned int n;
};

/** The links that a line is about, to be freed; an error is reported. */
int lab_choose_links(struct lab_reader *r, const struct fcn_args *args, struct lab_chosen *c);
void lab_chosen_free(struct lab_chosen *c);
/** Warn of a time at which the run is over. */
void lab_warn_late(struct lab_reader *r, const struct fcn_args *args, const char *key);

void lab_fault_apply(const struct lab_fault *fault, struct fcn_link_faults *faults);

/* ---- parameters (scenario_expand.c) ---- */

/** A line with its parameters replaced. */
struct lab_expanded {
	char text[FCN_COMMAND_MAX_LINE + 1];
	uint16_t origin[FCN_COMMAND_MAX_LINE + 2]; /**< column that each byte comes from */
};

/** @return 0, or -EINVAL with a line in err and where it is */
int lab_expand_line(const struct lab_scenario *sc, const char *line, struct lab_expanded *out,
		unsigned int *column, char *err, size_t err_size);
struct lab_param *lab_param_find(const struct lab_scenario *sc, const char *name);
/** Whether a parameter can have that name. */
bool lab_param_name_ok(const char *name);
/** Give a parameter its value, unless the command line did. @return 0 or -ENOMEM */
int lab_param_set(struct lab_scenario *sc, const char *name, const char *value, bool given);

/* ---- when all lines are read (scenario_finish.c) ---- */

/** What follows from links: hosts' defaults. */
void lab_finish_links(struct lab_reader *r);
/** What follows from all, and checks that no line can make alone. @return 0 or -ENOMEM */
int lab_finish(struct lab_reader *r);

/* ---- the commands, by subject ---- */

extern const struct fcn_command_group lab_base_commands;
extern const struct fcn_command_group lab_switch_commands;
extern const struct fcn_command_group lab_link_commands;
extern const struct fcn_command_group lab_host_commands;
extern const struct fcn_command_group lab_reaction_commands;
extern const struct fcn_command_group lab_flow_commands;
extern const struct fcn_command_group lab_traffic_commands;
extern const struct fcn_command_group lab_generator_commands;
extern const struct fcn_command_group lab_fault_commands;
extern const struct fcn_command_group lab_action_commands;
extern const struct fcn_command_group lab_measure_commands;

#endif /* LAB_SCENARIO_PRIVATE_H */

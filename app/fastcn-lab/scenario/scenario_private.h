/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Declarations shared by the source files of the scenario language. Its commands are declared like
 * those of the console (fcn_command.h). Each line of a scenario is run once in each of several
 * passes: first nodes are defined, then links, then everything else. The order of lines therefore
 * does not matter.
 */

#ifndef LAB_SCENARIO_PRIVATE_H
#define LAB_SCENARIO_PRIVATE_H

#include "scenario.h"
#include "fcn_command.h"

#define LAB_MAX_NAMES 4096 /**< maximum number of names in a list */
#define LAB_MAX_SWITCHES 1024
#define LAB_MAX_HOSTS 4096
#define LAB_MAX_LINKS 16384
#define LAB_MAX_FLOWS 1000000
#define LAB_MAX_MESSAGE (UINT64_C(1) << 40) /**< maximum length of a message in bytes */
#define LAB_DEFAULT_BUFFERS 32768

/** Time that a frame takes through a switch. The live switch takes about as much from a packet to
 * its notice, in the median, up to a load of 80 % (doc/performance.md, "From packet to notice"). */
#define LAB_DEFAULT_LATENCY_NS 2000

enum lab_pass {
	LAB_PASS_NODES, /**< parameters, switches and hosts, in the order of the file */
	LAB_PASS_LINKS,
	LAB_PASS_REST, /**< everything else, which refers to nodes and links */
	LAB_PASS_COUNT
};

/** A definition: `let name = text`. */
struct lab_let {
	char name[LAB_NAME_LEN];
	char *text; /**< text of the expression, with earlier definitions replaced */
	struct lab_place place;
};

/** Compare the order of two lines: those of the command line follow those of the file. */
static inline int
lab_place_compare(const struct lab_place *x, const struct lab_place *y)
{
	if (x->option != y->option)
		return x->option ? 1 : -1;
	return x->line < y->line ? -1 : x->line > y->line;
}

/** The fault of a link that an action changes. Other faults keep their values. */
struct lab_fault {
	enum {
		LAB_FAULT_LOSS,
		LAB_FAULT_DUPLICATE,
		LAB_FAULT_CORRUPT,
		LAB_FAULT_REORDER,
		LAB_FAULT_NOTICES
	} kind;
	uint32_t ratio;
	uint64_t time_ns; /**< REORDER: additional delay */
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
	char *text; /**< text with parameters replaced */
	/** Column in the file for each byte of the text; NULL: the columns are the same. */
	uint16_t *origin;
	unsigned int number;
	bool option; /**< a line of the command line */
	bool bad;    /**< an error in it was reported, so it is not run in later passes */
};

/** A scenario being read. */
struct lab_reader {
	const struct fcn_command_table *table;
	struct lab_scenario *sc;
	enum lab_pass pass;
	struct lab_place place; /**< place of the line that is being run */
	/** The line that is being run; NULL: it is not a line of the file. */
	const struct lab_read_line *line;
	struct fcn_diag *diag; /**< diagnosis of that line */
	bool setting;          /**< the line is a setting of the command line */
	FILE *err;
	unsigned int n_errors, n_warnings;
	bool half_read; /**< earlier passes had errors, so that definitions may be missing */
	struct lab_let *let;
	unsigned int n_lets;
	struct lab_fault_change *change;
	unsigned int n_changes;
	struct lab_place endless; /**< place of an endless flow */
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

/**
 * Get the reader, if it is in this pass.
 *
 * @return NULL when the command has nothing to do in the current pass
 */
static inline struct lab_reader *
lab_reader_in(struct fcn_session *session, enum lab_pass pass)
{
	struct lab_reader *r = lab_reader_of(session);

	return r->pass == pass ? r : NULL;
}

/**
 * Append an item of zeros to an array.
 *
 * @param slot address of the pointer to the array
 * @return the item; NULL when memory is exhausted
 */
void *lab_push(void *slot, unsigned int *n, size_t size);

/**
 * Write "FILE:LINE:COLUMN: message" to the reader's err. After 20 errors, further ones are only
 * counted.
 */
void lab_report_error(struct lab_reader *r, const struct lab_place *place, unsigned int column,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/** Write a warning in the same form, with "warning: ". The scenario can be run nevertheless. */
void lab_warning(struct lab_reader *r, const struct fcn_args *args, const char *key,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** Get the column in the file of an argument, or of the line if key is NULL. */
unsigned int lab_column(struct lab_reader *r, const struct fcn_args *args, const char *key);

#define LAB_MAX_FILE                                                                              \
	((size_t)1 << 22)               /**< bytes of a scenario, a configuration, a distribution \
					 */
#define LAB_MAX_TRACE ((size_t)1 << 30) /**< bytes of a file of traffic */

/**
 * Read a file and append a null byte. The size is limited, because a device file has no end.
 *
 * @return NULL with a negative errno in rc
 */
char *lab_read_file(const char *file, size_t max, size_t *size, int *rc);

/**
 * Get the path of a file whose name is relative to the folder of the scenario, and note that it is
 * read.
 *
 * @return NULL when memory is exhausted
 */
char *lab_beside(struct lab_scenario *sc, const char *file);

/**
 * Whether a word is a command, such as seed or duration, whose value the command line may set like
 * that of a parameter.
 */
bool lab_is_scalar(const char *name);

/* ---- names (scenario_names.c) ---- */

/** The names in a list, after expansion. */
struct lab_names {
	char (*name)[LAB_NAME_LEN];
	unsigned int n;
};

/**
 * Expand a list. For example, h1,h[2-4] stands for four names.
 *
 * @return 0, or -EINVAL with a message in err
 */
int lab_names_expand(const char *list, struct lab_names *names, char *err, size_t err_size);
void lab_names_free(struct lab_names *names);
/** Expand the list in an argument. @return 0, or a negative errno after the error was reported */
int lab_names_of(const struct fcn_args *args, const char *key, struct lab_names *names);

/** Check a name. @return NULL if it is allowed; otherwise the end of a sentence with the reason */
const char *lab_name_error(const char *name);

/** The nodes in a list. */
struct lab_nodes {
	struct lab_node *node;
	unsigned int n;
};

#define LAB_SWITCHES (1u << LAB_SWITCH)
#define LAB_HOSTS (1u << LAB_HOST)

/** Find a node by its name. @return whether it exists */
bool lab_node_find(const struct lab_scenario *sc, const char *name, struct lab_node *node);
const char *lab_node_name(const struct lab_scenario *sc, struct lab_node node);
/**
 * Get the nodes in an argument. "all" stands for all nodes of the given kinds.
 *
 * @return 0, or a negative errno after the error was reported
 */
int lab_nodes_of(struct lab_reader *r, const struct fcn_args *args, const char *key,
		unsigned int kinds, struct lab_nodes *nodes);
void lab_nodes_free(struct lab_nodes *nodes);
/** Like lab_nodes_of(), for an argument that must name exactly one node. */
int lab_node_of(struct lab_reader *r, const struct fcn_args *args, const char *key,
		unsigned int kinds, struct lab_node *node);

/**
 * Make pairs of the nodes in two lists. If the lists have the same length, the pairs are made in
 * order; otherwise one list must have a single node, which is paired with each node of the other
 * list.
 *
 * @return 0, or a negative errno after the error was reported
 */
int lab_pairs_of(struct lab_reader *r, const struct fcn_args *args, const char *a, const char *b,
		struct lab_nodes ends[2]);

/* ---- what commands share ---- */

/**
 * Store the argument "name" in a flow.
 *
 * @return 0, or a negative errno after the error was reported
 */
int lab_flow_name(const struct fcn_args *args, struct lab_flow *flow);
/** Take the argument "dscp", or its default; an error is reported. */
int lab_flow_dscp(const struct fcn_args *args, struct lab_flow *flow);
/** Whether no flows have that name yet; an error is reported. */
int lab_flow_check_new(
		const struct lab_scenario *sc, const struct fcn_args *args, const char *name);
/**
 * Check that no host of the argument "hosts" is given twice, as a message could then have the same
 * source and destination, and that there are two of them; an error is reported.
 */
int lab_check_hosts(const struct lab_reader *r, const struct fcn_args *args,
		const struct lab_nodes *hosts);
/** Add a flow; an error is reported. */
int lab_flow_push(struct lab_reader *r, const struct fcn_args *args, const struct lab_flow *flow);

/** Add a host; an error is reported, about the argument with this key (scenario_cmd_host.c). */
int lab_host_push(struct lab_reader *r, const struct fcn_args *args, const char *key,
		const char *name);
/** Check that each of the hosts in an argument has a link; an error is reported. */
int lab_host_check_links(struct lab_reader *r, const struct fcn_args *args, const char *key);

/** Whether one of the links of a node has this name for its port (scenario_cmd_link.c). */
bool lab_node_has_port(const struct lab_scenario *sc, struct lab_node node, const char *port);

/** Get the number of links of a node (scenario_cmd_link.c). */
unsigned int lab_links_of(const struct lab_scenario *sc, struct lab_node node);

/** Check the speed of a link, if one is given (scenario_cmd_link.c). @return 0; a negative errno
 * after an error */
int lab_check_link_rate(const struct fcn_args *args);

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

/** Check that what other simulators do is asked of no host of theirs (scenario_cmd_simbricks.c). */
void lab_simbricks_check(struct lab_reader *r);

/* ---- the commands, by subject ---- */

extern const struct fcn_command_group lab_base_commands;
extern const struct fcn_command_group lab_switch_commands;
extern const struct fcn_command_group lab_link_commands;
extern const struct fcn_command_group lab_topology_commands;
extern const struct fcn_command_group lab_host_commands;
extern const struct fcn_command_group lab_flow_commands;
extern const struct fcn_command_group lab_traffic_commands;
extern const struct fcn_command_group lab_flow_file_commands;
extern const struct fcn_command_group lab_goal_commands;
extern const struct fcn_command_group lab_generator_commands;
extern const struct fcn_command_group lab_fault_commands;
extern const struct fcn_command_group lab_action_commands;
extern const struct fcn_command_group lab_measure_commands;
extern const struct fcn_command_group lab_simbricks_commands;

/** Make the group of the reactions of hosts, with memory. @return 0 or -errno */
int lab_reaction_commands(struct fcn_command_group *into);

#endif /* LAB_SCENARIO_PRIVATE_H */

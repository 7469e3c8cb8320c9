/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A scenario: switches, hosts, links, traffic, faults, what is measured and what is expected. Read
 * from a file of commands (scenario_*.c), changed by nobody afterwards, run by lab_run().
 */

#ifndef LAB_SCENARIO_H
#define LAB_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fcn_endpoint.h"
#include "fcn_link.h"

#define LAB_NAME_LEN 32
#define LAB_SWITCH_EVENTS 4096 /**< event records that a switch's ring holds */

/** Where in a file something was said, for messages. */
struct lab_place {
	const char *file; /**< lives as long as the scenario */
	unsigned int line;
};

/** A node of the network: a switch or a host. */
enum lab_node_kind {
	LAB_SWITCH,
	LAB_HOST
};

struct lab_node {
	enum lab_node_kind kind;
	unsigned int index; /**< of switch[] or host[] */
};

/** A line of a switch's configuration language. */
struct lab_line {
	char *text;
	struct lab_place place;
	unsigned int column; /**< in the file, of the text's first character */
};

struct lab_switch {
	char name[LAB_NAME_LEN];
	char *file; /**< its configuration, NULL: only what the lab adds; parameters are replaced in
		       it */
	bool autoconf; /**< ports for its links, routes to all hosts and their neighbours are added
			  first */
	uint64_t latency_ns;    /**< every frame leaves that much later */
	uint32_t flows;         /**< room of its cache of flows that were notified */
	struct lab_line *lines; /**< after file and autoconf */
	unsigned int n_lines;
	struct lab_place place;
};

struct lab_host {
	char name[LAB_NAME_LEN];
	struct fcn_endpoint_conf conf; /**< finished, but for addr, mac, event: 2001:db8:0:N::1,
					  02:... of host N */
	struct lab_place place;
};

struct lab_link {
	struct lab_node end[2];
	char port[2][LAB_NAME_LEN]; /**< port at that end, if a switch: name of the other end by
				       default */
	uint64_t rate_bps, delay_ns;
	struct fcn_link_faults faults[2]; /**< [0] from end[0] to end[1] */
	bool pcap;                        /**< write a pcap of each direction */
	struct lab_place place;
};

/** Messages from a host to another, over one queue pair of their own. */
struct lab_flow {
	char name[LAB_NAME_LEN]; /**< of the flow command; others may have it, too */
	unsigned int from, to;   /**< hosts */
	uint64_t start_ns;
	uint64_t stop_ns;     /**< nothing is posted from then on, what is posted is cut off;
				 FCN_ENDPOINT_NEVER */
	uint64_t bytes;       /**< of a message */
	uint64_t messages;    /**< one after the other; UINT64_MAX: without end */
	uint64_t interval_ns; /**< time between posts of messages, 0: as one is complete */
	uint64_t rate_bps;    /**< wire, 0: line */
	uint8_t dscp;
	uint16_t src_port; /**< 0: by chance */
	enum fcn_operation operation;
};

/** Frames of a capture that a host sends instead of its endpoint. */
struct lab_capture {
	unsigned int host;
	char *file;
	double speed;
	uint64_t start_ns;
	struct lab_place place;
};

/**
 * Packets of many flows that a host sends beside its endpoint, of no queue pair at either end: of
 * so many flows at a time one each in turn, so often, then of the next ones.
 */
struct lab_generator {
	char name[LAB_NAME_LEN];
	unsigned int from, to;
	uint32_t first; /**< number of the first flow, among those of all generators */
	uint32_t flows;
	uint32_t active;   /**< flows at a time */
	uint32_t packets;  /**< of each flow */
	uint32_t bytes;    /**< payload of a packet */
	uint64_t rate_bps; /**< wire, 0: line */
	uint64_t start_ns;
	uint8_t dscp;
	struct lab_place place;
};

/** Something done at a time. */
enum lab_action_kind {
	LAB_LINK_DOWN,
	LAB_LINK_UP,
	LAB_LINK_FAULTS,    /**< other faults from now on */
	LAB_SWITCH_LINE,    /**< a line of its console language */
	LAB_SWITCH_RESTART, /**< everything queued is lost (and counted), the configuration is
			       loaded anew */
	LAB_SWITCH_STARVE,  /**< takes all but `count` buffers away; UINT64_MAX gives them back */
	LAB_COLLECTOR_STOP, /**< nobody reads a switch's events, there is room for `count` */
	LAB_COLLECTOR_START,
	LAB_NOTICES_DROP,  /**< links lose Fast CNPs and CNPs with this probability: `ratio` */
	LAB_NOTICES_SPOOF, /**< a host sends `count` spoofed Fast CNPs to another */
	LAB_HOST_PAUSE,    /**< a host asks its link's other end to pause classes `other` (bits)
			      for `count` quanta */
};

struct lab_action {
	enum lab_action_kind kind;
	uint64_t time_ns;
	unsigned int target;    /**< link, switch or host */
	unsigned int other;     /**< SPOOF: host that they go to */
	unsigned int direction; /**< FAULTS: 0, 1, or 2: both */
	struct fcn_link_faults faults;
	uint64_t count;
	uint32_t ratio; /**< billionths */
	char *text;     /**< SWITCH_LINE */
	struct lab_place place;
};

/** A queue whose occupancy is written as a series; peaks and shares are known of all. */
struct lab_watch {
	unsigned int node; /**< switch */
	char port[LAB_NAME_LEN];
	uint8_t class;
};

/** What must hold at the end: an expression, see expression.h. */
struct lab_expect {
	char *text; /**< for lab_expectation_run(): definitions (`let`) are replaced in it */
	char *said; /**< as the file has it, parameters replaced */
	char *note; /**< what it stands for, NULL */
	struct lab_place place;
};

/** A parameter: $name in the file. */
struct lab_param {
	char name[LAB_NAME_LEN];
	char *value;
	bool given;    /**< on the command line */
	bool declared; /**< by `param` in the file; others are values of commands: $seed, $duration
			*/
};

struct fcn_command_table;

struct lab_scenario {
	char *file, *title;
	uint64_t seed;
	uint64_t duration_ns; /**< FCN_ENDPOINT_NEVER: until all traffic that ends has ended */
	uint64_t settle_ns;   /**< what is measured as a rate begins here */
	uint32_t buffers;     /**< packet buffers of the network */
	bool check;           /**< invariants after every event */
	struct lab_param *param;
	struct lab_switch *node_switch;
	struct lab_host *host;
	struct lab_link *link;
	struct lab_flow *flow;
	struct lab_capture *capture;
	struct lab_generator *generator; /**< by their first flows */
	struct lab_action *action;
	struct lab_watch *watch;
	struct lab_expect *expect;
	unsigned int n_params, n_switches, n_hosts, n_links, n_flows, n_captures, n_generators,
			n_actions, n_watches, n_expects;
};

/** A parameter's value from the command line. */
struct lab_setting {
	const char *name, *value;
};

/**
 * Read a scenario, or take it from text that stands for the file. Needs no EAL.
 *
 * @param text NULL: the file is read
 * @param err  mistakes, "FILE:LINE:COLUMN: message", all of them up to 20
 * @return NULL after mistakes
 */
struct lab_scenario *lab_scenario_load(const char *file, const char *text,
		const struct lab_setting *set, unsigned int n_set, FILE *err);
void lab_scenario_free(struct lab_scenario *sc);

/** The language of scenarios, for its help and its reference; to be freed. NULL: no memory */
struct fcn_command_table *lab_scenario_commands(void);

/** As lab_scenario_load(), by a language that is there: for those who read many. */
struct lab_scenario *lab_scenario_read(const struct fcn_command_table *table, const char *file,
		const char *text, const struct lab_setting *set, unsigned int n_set, FILE *err);

/**
 * Replace parameters: $name and ${name} by their values, $((arithmetic)) by a number. Lines of text
 * are lines of the result; comments may be left out.
 *
 * @return to be freed, NULL with a line in err
 */
char *lab_scenario_expand(
		const struct lab_scenario *sc, const char *text, char *err, size_t err_size);

#endif /* LAB_SCENARIO_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A scenario: switches, hosts, links, traffic, faults, measurements and expectations. It is read
 * from a file of commands (scenario_*.c), does not change afterwards, and is run by lab_run().
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

/** A line of a file, for messages. */
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
	char *file; /**< configuration file, in which parameters are replaced; NULL: there is none
		     */
	bool autoconf; /**< the lab first adds ports for its links, neighbours, and routes to all
			  hosts */
	uint64_t latency_ns;    /**< delay that is added to every frame that leaves */
	uint32_t flows;         /**< number of flows that its cache of notified flows can hold */
	struct lab_line *lines; /**< run after autoconf and file */
	unsigned int n_lines;
	struct lab_place place;
};

struct lab_host {
	char name[LAB_NAME_LEN];
	struct fcn_endpoint_conf conf; /**< complete but for addr (2001:db8:0:N::1 of host N), mac
					  and event */
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

/** A capture file whose frames a host sends; it has no endpoint then. */
struct lab_capture {
	unsigned int host;
	char *file;
	double speed;
	uint64_t start_ns;
	struct lab_place place;
};

/**
 * A flow generator: packets of many flows that a host sends beside its endpoint. The flows have no
 * queue pairs at either end. It sends one packet of each of `active` flows in turn, `packets`
 * times, and then goes on to the next `active` flows.
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

/** An action at a time of the run. */
enum lab_action_kind {
	LAB_LINK_DOWN,
	LAB_LINK_UP,
	LAB_LINK_FAULTS,    /**< the link has other faults from now on */
	LAB_SWITCH_LINE,    /**< a switch runs a line of its console language */
	LAB_SWITCH_RESTART, /**< a switch restarts: what it has queued is lost and counted, its
			       configuration is loaded again */
	LAB_SWITCH_STARVE,  /**< a switch loses all but `count` free buffers; UINT64_MAX: it gets
			       them  back */
	LAB_COLLECTOR_STOP, /**< the events of a switch are not read, and there is room for `count`
			     */
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

/** A queue whose occupancy is written as a series. Peaks and percentiles are kept of all queues. */
struct lab_watch {
	unsigned int node; /**< switch */
	char port[LAB_NAME_LEN];
	uint8_t class;
};

/** An expectation: a comparison that must hold at the end, see expression.h. */
struct lab_expect {
	char *text; /**< for lab_expectation_run(), with definitions (`let`) replaced */
	char *said; /**< as it stands in the file, with parameters replaced */
	char *note; /**< the text behind "--"; may be NULL */
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
	uint64_t settle_ns;   /**< rates are measured from this time on */
	uint32_t buffers;     /**< packet buffers of the network */
	bool check;           /**< invariants are checked after every event */
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
 * Read a scenario from a file, or from text in its place. EAL is not needed.
 *
 * @param text NULL: the file is read
 * @param err  errors, "FILE:LINE:COLUMN: message", up to 20 of them
 * @return NULL after errors
 */
struct lab_scenario *lab_scenario_load(const char *file, const char *text,
		const struct lab_setting *set, unsigned int n_set, FILE *err);
void lab_scenario_free(struct lab_scenario *sc);

/** The commands of scenarios, to be freed with fcn_command_table_free(). NULL: no memory */
struct fcn_command_table *lab_scenario_commands(void);

/** As lab_scenario_load(), with a table of lab_scenario_commands(), for who reads many scenarios.
 */
struct lab_scenario *lab_scenario_read(const struct fcn_command_table *table, const char *file,
		const char *text, const struct lab_setting *set, unsigned int n_set, FILE *err);

/**
 * Replace parameters: $name and ${name} by their values, $((arithmetic)) by a number. The result
 * has the same lines as the text; comments may be left out.
 *
 * @return the result, to be freed; NULL with a message in err
 */
char *lab_scenario_expand(
		const struct lab_scenario *sc, const char *text, char *err, size_t err_size);

#endif /* LAB_SCENARIO_H */

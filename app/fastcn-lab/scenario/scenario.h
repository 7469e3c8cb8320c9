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
#include "goal.h"

#define LAB_NAME_LEN 32
#define LAB_FCT_PORT 100        /**< port of flows in fct.txt */
#define LAB_FCT_PORT_INCAST 200 /**< that of bursts */
#define LAB_SWITCH_EVENTS 4096  /**< number of event records that fit into the ring of a switch */

/** Name that messages give to the lines of the command line, where a file has its own. */
#define LAB_LINE_OPTION "--line"

/** A line of a file, for messages. */
struct lab_place {
	const char *file; /**< name of the file; valid as long as the scenario */
	unsigned int line;
	bool option; /**< a line of the command line, which follows those of the file */
};

/** A node of the network: a switch or a host. */
enum lab_node_kind {
	LAB_SWITCH,
	LAB_HOST
};

struct lab_node {
	enum lab_node_kind kind;
	unsigned int index; /**< index in switch[] or host[] */
};

/** A line of a switch's configuration language. */
struct lab_line {
	char *text;
	struct lab_place place;
	unsigned int column; /**< column of the text's first character in the file */
};

struct lab_switch {
	char name[LAB_NAME_LEN];
	char *file; /**< configuration file, in which parameters are replaced; NULL: there is none
		     */
	bool autoconf; /**< the lab first adds ports for its links, neighbours, and routes to all
			  hosts */
	bool core;     /**< the lab makes no routes to hosts, here or through it */
	uint64_t latency_ns;    /**< delay that is added to every frame that leaves */
	uint32_t flows;         /**< number of flows that its cache of notified flows can hold */
	struct lab_line *lines; /**< run after autoconf and file */
	unsigned int n_lines;
	struct lab_place place;
};

struct lab_host {
	char name[LAB_NAME_LEN];
	/** Parameters of the endpoint, without addr (2001:db8:0:N::1 for host N), mac and event. */
	struct fcn_endpoint_conf conf;
	bool reports;       /**< it tells the switch at its link about its queue pairs */
	uint64_t report_ns; /**< so long after it has connected one */
	struct lab_place place, reports_place;
};

struct lab_link {
	struct lab_node end[2];
	/**
	 * Name of the port at each end that is a switch; by default the name of the node at the
	 * other end.
	 */
	char port[2][LAB_NAME_LEN];
	uint64_t rate_bps, delay_ns;
	struct fcn_link_faults faults[2]; /**< [0] from end[0] to end[1] */
	bool pcap;                        /**< write a capture file for each direction */
	struct lab_place place;
};

/** Messages from a host to another, over one queue pair of their own. */
struct lab_flow {
	/** Name in the flow command; several flows may have the same name. */
	char name[LAB_NAME_LEN];
	unsigned int from, to; /**< hosts */
	uint64_t start_ns;
	/**
	 * Time after which no message is posted, and posted messages are cut off;
	 * FCN_ENDPOINT_NEVER: no such time.
	 */
	uint64_t stop_ns;
	uint64_t bytes;    /**< payload of a message */
	uint64_t messages; /**< number of messages; UINT64_MAX: no limit */
	/**
	 * Time between two messages; 0: the next message is posted when the previous one is
	 * complete.
	 */
	uint64_t interval_ns;
	uint64_t rate_bps; /**< rate limit, bits/s on the wire; 0: that of the link */
	uint8_t dscp;
	uint16_t src_port; /**< UDP source port; 0: random */
	enum fcn_operation operation;
	/** 1 + index of the trace whose messages these are, of sizes up to `bytes`; 0: none. */
	unsigned int goal;
	/** Port of it in fct.txt, where others' scripts tell kinds of flows by it; 0: the usual. */
	uint16_t fct_port;
};

/**
 * A trace of group operations. The messages from a rank to another are those of one flow. All
 * ranks begin an iteration at the same time, when the last one has ended.
 */
struct lab_goal_job {
	char name[LAB_NAME_LEN];
	struct lab_goal *goal;
	unsigned int *host;      /**< host of each rank */
	unsigned int first_flow; /**< of those of the trace, which follow each other */
	unsigned int *flow;      /**< flow of each pair; UINT_MAX: from a rank to itself */
	uint64_t start_ns;
	uint32_t iterations;
	struct lab_place place;
};

/** A capture file whose frames a host sends. Such a host has no endpoint. */
struct lab_capture {
	unsigned int host;
	char *file;
	double speed;
	uint64_t start_ns;
	struct lab_place place;
};

/** A host that is in another simulator, which speaks SimBricks. It has no endpoint. */
struct lab_simbricks {
	unsigned int host;
	char *path;          /**< of a UNIX socket */
	bool listen;         /**< the other simulator connects; otherwise it listens */
	uint64_t latency_ns; /**< of frames to it, added to the link's delay */
	uint64_t sync_ns;    /**< longest virtual time without a message to it */
	uint64_t wait_ns;    /**< longest time of the clock to wait for it */
	struct lab_place place;
};

/**
 * A flow generator. The host sends packets of many flows in addition to those of its endpoint. The
 * flows have no queue pairs at either end. The generator sends one packet of each of `active` flows
 * in turn, `packets` times, and then continues with the next `active` flows.
 */
struct lab_generator {
	char name[LAB_NAME_LEN];
	unsigned int from, to;
	uint32_t first; /**< number of the first flow, among those of all generators */
	uint32_t flows;
	uint32_t active;   /**< number of flows that send at the same time */
	uint32_t packets;  /**< number of packets of each flow */
	uint32_t bytes;    /**< payload of a packet */
	uint64_t rate_bps; /**< rate limit, bits/s on the wire; 0: that of the link */
	uint64_t start_ns;
	uint8_t dscp;
	struct lab_place place;
};

/** An action at a time of the run. */
enum lab_action_kind {
	LAB_LINK_DOWN,
	LAB_LINK_UP,
	LAB_LINK_RATE,   /**< both ends of a link change its speed to `count` bits per second */
	LAB_LINK_FAULTS, /**< the faults of a link change */
	LAB_SWITCH_LINE, /**< a switch runs a console command */
	/**
	 * A switch restarts: its queued packets are lost and counted, and its configuration is
	 * loaded again.
	 */
	LAB_SWITCH_RESTART,
	/** A switch loses all free buffers but `count`; UINT64_MAX: it gets them back. */
	LAB_SWITCH_STARVE,
	LAB_COLLECTOR_STOP, /**< the events of a switch are not read, and there is room for `count`
			     */
	LAB_COLLECTOR_START,
	LAB_NOTICES_DROP,  /**< links lose notices with the probability `ratio` */
	LAB_NOTICES_SPOOF, /**< a host sends `count` spoofed Fast CNPs to another */
	/**
	 * A host asks its link partner to pause the classes in the bit set `other` for `count`
	 * quanta.
	 */
	LAB_HOST_PAUSE,
	/**
	 * A host asks the switch `other` to hold the flows with the name in `text` for `count` ns,
	 * in the name of the switch `as`.
	 */
	LAB_HOST_HALT,
	/**
	 * A host tells the switch `other`, as its proxy, that the flows with the name in `text`
	 * meet congestion of the level `count`, in the name of the switch `as`.
	 */
	LAB_HOST_TELL,
};

struct lab_action {
	enum lab_action_kind kind;
	uint64_t time_ns;
	unsigned int target; /**< link, switch or host */
	unsigned int other;  /**< SPOOF: host that gets the notices; HALT, TELL: switch */
	int as; /**< HALT, TELL: switch whose address is the source; -1: the host's own */
	unsigned int direction; /**< FAULTS: direction 0 or 1; 2: both */
	struct fcn_link_faults faults;
	uint64_t count;
	uint32_t ratio; /**< billionths */
	char *text;     /**< SWITCH_LINE; HALT, TELL: name of flows */
	struct lab_place place;
};

/**
 * A queue whose occupancy is recorded as a series. Maximum and percentiles are measured for all
 * queues.
 */
struct lab_watch {
	unsigned int node; /**< switch */
	char port[LAB_NAME_LEN];
	uint8_t class;
};

/** An expectation: a comparison that must be true at the end of the run, see expression.h. */
struct lab_expect {
	char *text; /**< for lab_expectation_run(), with definitions (`let`) replaced */
	char *said; /**< text in the file, with parameters replaced */
	char *note; /**< text after "--"; may be NULL */
	struct lab_place place;
};

/** A parameter: $name in the file. */
struct lab_param {
	char name[LAB_NAME_LEN];
	char *value;
	bool given; /**< its value is from the command line */
	/**
	 * It is declared by `param` in the file; other parameters are the values of commands, such
	 * as $seed and $duration.
	 */
	bool declared;
};

struct fcn_command_table;

struct lab_scenario {
	char *file, *title;
	uint64_t seed;
	/** End of the run; FCN_ENDPOINT_NEVER: when all finite traffic has ended. */
	uint64_t duration_ns;
	uint64_t settle_ns;   /**< rates are measured from this time on */
	uint32_t buffers;     /**< packet buffers of the network */
	bool check;           /**< invariants are checked after every event */
	unsigned int threads; /**< threads that run it, which it does not say itself; 0: one */
	bool record_messages, record_fct; /**< write messages.csv, fct.txt */
	struct lab_param *param;
	struct lab_switch *node_switch;
	struct lab_host *host;
	struct lab_link *link;
	struct lab_flow *flow;
	struct lab_capture *capture;
	struct lab_simbricks *simbricks;
	struct lab_generator *generator; /**< ordered by their first flows */
	struct lab_goal_job *goal;
	struct lab_action *action;
	struct lab_watch *watch;
	struct lab_expect *expect;
	char **read; /**< names of the files that were read beside it, as they are written there */
	char **line; /**< lines that the command line added, as they are written there */
	unsigned int n_read, n_lines;
	unsigned int n_params, n_switches, n_hosts, n_links, n_flows, n_captures, n_simbricks,
			n_generators, n_goals, n_actions, n_watches, n_expects;
};

/** A parameter's value from the command line, or a line that is added to the end of the file. */
struct lab_setting {
	const char *name; /**< NULL: value is a line */
	const char *value;
};

/**
 * Read a scenario from a file, or from a text instead. EAL is not needed.
 *
 * @param text NULL: the file is read
 * @param err  errors, "FILE:LINE:COLUMN: message", up to 20 of them
 * @return NULL after errors
 */
struct lab_scenario *lab_scenario_load(const char *file, const char *text,
		const struct lab_setting *set, unsigned int n_set, FILE *err);
void lab_scenario_free(struct lab_scenario *sc);

/**
 * Create the table of the commands of scenarios, to be freed with fcn_command_table_free().
 *
 * @return NULL when memory is exhausted
 */
struct fcn_command_table *lab_scenario_commands(void);

/**
 * Like lab_scenario_load(), with a table from lab_scenario_commands(), for callers that read many
 * scenarios.
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

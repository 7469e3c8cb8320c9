/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The network of a scenario: switches, hosts and links in one simulation.
 *
 * network.c        creates and frees the network
 * parts.c          divides the nodes between threads
 * node_switch.c    a switch: control, one worker, its turns
 * node_config.c    the configuration of a switch
 * node_collector.c the collector that reads the events of a switch
 * node_counters.c  counters of a switch that are measured
 * autoconf.c       ports, addresses, neighbours and routes by the topology
 * node_host.c      a host: an endpoint at its link
 * node_capture.c   a host that sends a capture instead
 * node_simbricks.c a host that is in another simulator
 * flows.c          starts, continues and stops flows
 * reports.c        hosts that report their queue pairs to their switches
 * actions.c        actions of the scenario at their times
 * goals.c          messages of traces of group operations
 * generator.c      packets of very many flows, and when switches notified each of them
 * host_message.c   messages about flows from hosts to switches: what halt.c and tell.c share
 * spoof.c          frames that no adapter sends by itself: spoofed notices, pause requests
 * halt.c           requests to hold flows, which a host sends as a downstream switch does
 * tell.c           messages about flows to a proxy, which a host sends as a congested switch does
 * invariants.c     checks the invariants after every event
 * checker*.c       check a switch by the frames at its ports
 */

#ifndef LAB_NETWORK_H
#define LAB_NETWORK_H

#include <signal.h>

#include "fcn_link_port.h"
#include "fcn_session.h"
#include "fcn_sim_group.h"
#include "measure.h"
#include "checker.h"

/**
 * Number of buffers of a switch, which are for notices and copies. All other frames are in buffers
 * of the network.
 */
#define LAB_SWITCH_BUFFERS 2047

/** With so many events of a part at one instant, the run makes no progress. */
#define LAB_EVENTS_AT_ONCE 1000000

struct lab_network;

/**
 * The nodes that one thread runs: all of them, or with several threads a part. What concerns
 * several nodes at once, such as an action of the scenario, is done by the last part, which is the
 * whole: with one thread they are the same.
 */
struct lab_part {
	struct lab_network *net;
	struct fcn_sim *sim;
	struct lab_log *log; /**< NULL: what its events report is reported at once */
	uint64_t frames;     /**< number of frames that its nodes sent on links */
	uint64_t taken;      /**< number of buffers of the network that they took, at most */
	unsigned int ended;  /**< number of flows of its senders that have ended */
	uint64_t ended_ns;   /**< when the last one ended */
} __rte_cache_aligned;

struct lab_net_link {
	struct lab_network *net;
	struct fcn_link *link;
	struct lab_part *part[2]; /**< of the node at each end */
	unsigned int index;
};

/** The end of a link at a switch. */
struct lab_net_port {
	struct lab_net_switch *sw;
	struct fcn_link_port *port;
	unsigned int link, end;
	bool open;       /**< the configuration has a port for it */
	uint16_t number; /**< number of the open port */
	/** Time until which the link partner has paused each class; for the checker. */
	uint64_t paused_until[FCN_CLASSES];
	uint32_t seen[FCN_CLASSES]; /**< bytes of its queues after the last turn */
	uint8_t backlog; /**< bit set of the queues that were not empty after the last turn */
};

/** Event records of a switch's worker: made = read + lost + waiting. */
struct lab_net_events {
	uint64_t made, read, lost, waiting;
};

/** Packet accounting of a switch up to its last restart, and to the last time it was cleared. */
struct lab_net_restarts {
	unsigned int n;
	/**
	 * Frames that waited at its ports at a restart, or arrived at a link end without a port.
	 */
	uint64_t flushed;
	uint64_t received, transmitted, made,
			ended; /**< made: generated, replicated; ended: dropped, consumed, queued */
	struct lab_net_events events;
};

struct lab_net_switch {
	struct lab_network *net;
	struct lab_part *part;
	unsigned int index;
	struct fcn_platform platform;
	struct rte_mempool *pool;
	struct fcn_control *ctl;
	struct fcn_session session;
	struct fcn_sim_event turn;
	/** Ends of links at this switch, in the order of the scenario. */
	struct lab_net_port *ends;
	unsigned int n_ends;
	/** Indexed by port number; NULL: the port is not open. */
	struct lab_net_port *by_number[FCN_MAX_PORTS];
	uint64_t last_turn;
	bool waiting;              /**< frames may be waiting at its ports */
	struct rte_mbuf **starved; /**< buffers taken away */
	unsigned int n_starved;
	bool late;              /**< the events that are read now are of earlier turns */
	bool unread;            /**< its collector is stopped, so that its events are not read */
	struct rte_ring *aside; /**< the worker's own ring of events, while a smaller one is in use
				 */
	struct lab_checker *checker;  /**< NULL without `check on` */
	unsigned int idle;            /**< turns without progress at one instant */
	struct lab_net_restarts past; /**< accounting of earlier lives */
	/** Counters when they were last read, by port and class. */
	struct lab_counters counters[FCN_MAX_PORTS][FCN_CLASSES];
};

struct lab_net_host {
	struct lab_network *net;
	struct lab_part *part;
	unsigned int index;
	struct fcn_endpoint *ep; /**< NULL: the host sends a capture */
	struct lab_net_capture *capture;
	struct lab_net_peer *peer; /**< NULL: the host is in no other simulator */
	/** Event at the time at which the host may send its next frame. */
	struct fcn_sim_event nic;
	struct fcn_link *link;
	unsigned int end;
	struct rte_ether_addr mac;
	uint8_t addr[16];
	struct rte_mbuf *spare; /**< buffer for the next frame */
	/** Time until which the link partner has paused each class. */
	uint64_t paused_until[FCN_CLASSES];
	uint64_t no_mbuf; /**< number of times that there was no buffer */
	uint64_t sent, received;
	/**
	 * Flows with a completed message, which have to be processed. Those of a trace are in it
	 * for a message that has arrived, too.
	 */
	uint32_t *done;
	unsigned int n_done, done_room;
};

/** The state of a flow. */
struct lab_net_flow {
	struct lab_network *net;
	/** Queue pair at the sender and at the receiver; 0: the flow has not started. */
	uint32_t qp, peer_qp;
	uint64_t posted; /**< number of messages posted */
	uint64_t complete;
	uint64_t next_post; /**< time of the next message that is posted by time */
	struct fcn_sim_event event, stop;
	struct fcn_sim_event report; /**< its sender reports its queue pair */
	bool reported;
	int rc;     /**< why its queue pairs could not be connected */
	bool ready; /**< they are, or could not be */
	bool begun;
	bool ends;   /**< the flow will end, by itself or at its stop time */
	bool ended;  /**< no further messages are posted */
	bool closed; /**< its queue pairs are closed */
};

/** Bit of an element of `done`: a message has arrived, rather than been acknowledged. */
#define LAB_DONE_ARRIVED (1u << 31)

struct lab_net_action {
	struct lab_network *net;
	unsigned int index;
	struct fcn_sim_event event;
};

struct lab_network {
	const struct lab_scenario *sc;
	struct lab_measure *m;
	/** Parts that have nodes, and behind them, with several, the whole. */
	struct lab_part *part, *whole;
	unsigned int n_parts;
	struct fcn_sim_group *group;           /**< NULL: there is one part */
	struct lab_log **of_switch, **of_host; /**< logs of their parts, with several */
	struct fcn_sim *sim;                   /**< of the whole */
	struct rte_mempool *pool;              /**< pool of all frames */
	struct fcn_command_table *table;
	struct lab_net_link *link;
	struct lab_net_switch *node_switch;
	struct lab_net_host *host;
	struct lab_net_peer *peer; /**< hosts in other simulators, as sc->simbricks */
	struct lab_net_flow *flow;
	unsigned int n_ending; /**< number of flows that will end, or have ended */
	/** With several parts: flows in the order of their beginnings, and the next of them. */
	uint32_t *start;
	unsigned int next_start;
	unsigned int last_busy; /**< a direction of a link that had a frame on its way */
	/** Buffers in use at the beginning of a window, and those taken until then. */
	uint64_t in_use, taken;
	const volatile sig_atomic_t *stop; /**< the run ends when it is not 0; may be NULL */
	uint16_t *hops; /**< between all nodes, for autoconf.c; NULL: not computed yet */
	struct lab_net_goal *goal;
	struct lab_net_generator *generator;
	struct lab_net_action *action;
	struct fcn_random random; /**< random numbers for source ports */
	struct fcn_sim_event sample;
	unsigned int leaked; /**< number of leaked buffers of switches */
	json_t *violations;
	bool failed; /**< the run has failed: lab_fail() */
	FILE *err;
};

/* network.c */

/**
 * Create the network of a scenario.
 *
 * @param err stream for error messages, also those of configurations
 * @return NULL after an error
 */
struct lab_network *lab_network_create(
		const struct lab_scenario *sc, struct lab_measure *m, FILE *err);
/** Free the network. @return number of buffers that were leaked */
unsigned int lab_network_free(struct lab_network *net);

/** Let the run fail. It ends without a result, and the first message is written to net->err. */
void lab_fail(struct lab_part *part, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Get the time of the run: that of the last event of all parts. */
uint64_t lab_now(const struct lab_network *net);

/** Get the number of frames sent on links. */
uint64_t lab_frames(const struct lab_network *net);

/**
 * Get the number of flows that will end and have not ended yet.
 *
 * @param ended_ns the time at which the last one ended
 */
unsigned int lab_unfinished(const struct lab_network *net, uint64_t *ended_ns);

/** Traffic of a host that would end has ended. */
void lab_traffic_ended(struct lab_part *part);

/** Get the name of a node whose turn is due now, for a message. */
const char *lab_network_busy(const struct lab_network *net);

/** Fill in the totals of the network at the end of the run. */
void lab_network_totals(struct lab_network *net, struct lab_totals *totals);

/** Get the link of a host, and which end of the link the host is. */
int lab_link_of_host(const struct lab_scenario *sc, unsigned int host, unsigned int *end);

/* parts.c */

/**
 * Divide the nodes of the scenario between its threads, before any is made. If they cannot be
 * divided, there is one part, and net->err is told why.
 *
 * @return 0 or -ENOMEM
 */
int lab_parts_init(struct lab_network *net);
void lab_parts_fini(struct lab_network *net);
/** Run all parts up to a time. @return how it ended */
enum fcn_sim_group_end lab_parts_run(
		struct lab_network *net, uint64_t until, const struct fcn_sim_group_user *user);
/** Hand over the frames between parts, and report what they have logged. */
void lab_parts_exchange(struct lab_network *net);
/** Whether a frame is on a link that arrives at a time or later. */
bool lab_parts_on_way(struct lab_network *net, uint64_t time);
/**
 * Check that there were buffers enough: that all frames of a window, had they been sent before any
 * was freed, would have had one. If not, the result could depend on the division, so the run fails.
 */
void lab_parts_check_buffers(struct lab_network *net);

/* node_switch.c */
int lab_switch_init(struct lab_network *net, unsigned int index);
void lab_switch_fini(struct lab_net_switch *sw);
/**
 * Free the pool of a switch, when no frame of this pool is on a link any more.
 *
 * @return number of leaked buffers
 */
unsigned int lab_switch_free_pool(struct lab_net_switch *sw);
/**
 * Restart a switch: the packets that it holds are lost and counted, and its configuration is loaded
 * again. If loading fails, the run fails.
 */
void lab_switch_restart(struct lab_net_switch *sw, uint64_t now);
/** Run a console command of a switch. @return 0, or a negative errno with a message on net->err */
int lab_switch_line(struct lab_net_switch *sw, const char *line, const struct lab_place *place);
/** The same for a command that clears no counters. Its part may run it at any time. */
int lab_switch_tell(struct lab_net_switch *sw, const char *line, const struct lab_place *place);
/** Schedule a turn of the switch at this time. */
void lab_switch_wake(void *arg, uint64_t now);
/** Take all free buffers but this number away from a switch; UINT64_MAX gives them back. */
void lab_switch_starve(struct lab_net_switch *sw, uint64_t left);
/** Process an event record that was read from a switch. */
void lab_switch_event(void *arg, const struct fcn_event *ev);
/**
 * Get the MAC address to which a host on this link sends frames for another host: that of the port,
 * or in a bridge that of the other host.
 */
struct rte_ether_addr lab_switch_gateway(
		const struct lab_net_switch *sw, unsigned int link, const struct lab_net_host *to);

/* node_counters.c */

/** Report what was counted since the last call. */
void lab_counters_read(struct lab_net_switch *sw);
/** Begin at the present counters, after something that can have cleared them. */
void lab_counters_begin(struct lab_net_switch *sw);

/* node_collector.c */

/** Read the events of the worker's last turn, unless the collector is stopped. */
void lab_collector_turn(struct lab_net_switch *sw);
/** Stop the collector. The ring has room for this number of event records from now on. */
void lab_collector_stop(struct lab_net_switch *sw, uint32_t room);
/** Start the collector; it first reads the events that are in the ring. */
void lab_collector_start(struct lab_net_switch *sw);
/**
 * End the collector of a switch that stops. The event records in its ring are lost, and counted as
 * lost in sw->past.
 */
void lab_collector_end(struct lab_net_switch *sw);
/** Count the event records since the last restart, and since the beginning of the run. */
void lab_collector_count(const struct lab_net_switch *sw, struct lab_net_events *events);
void lab_collector_total(const struct lab_net_switch *sw, struct lab_net_events *events);

/* node_config.c */

/**
 * Load and commit the configuration of a switch.
 *
 * @return 0, or a negative errno with a message on net->err
 */
int lab_switch_configure(struct lab_net_switch *sw);

/* autoconf.c */

/**
 * Write the commands for a switch's ports and routes.
 *
 * @return text to be freed; NULL when memory is exhausted
 */
char *lab_autoconf(struct lab_network *net, unsigned int index);

/* node_host.c */
int lab_host_init(struct lab_network *net, unsigned int index);
void lab_host_fini(struct lab_net_host *h);
/** It may have a frame to send: look for one. */
void lab_host_kick(struct lab_net_host *h, uint64_t now);
/** Its link has another speed. */
void lab_host_line(struct lab_net_host *h, uint64_t bps, uint64_t now);
/** MAC address of the next hop to another host. */
struct rte_ether_addr lab_host_next_hop(
		const struct lab_net_host *h, const struct lab_net_host *to);
/** Set its IPv6 and MAC address, before anything else is made. */
void lab_host_identify(struct lab_network *net, unsigned int index);

/* node_capture.c */
int lab_capture_init(struct lab_network *net, const struct lab_capture *c);
void lab_capture_fini(struct lab_net_host *h);

/* node_simbricks.c */
int lab_simbricks_init(struct lab_network *net);
void lab_simbricks_fini(struct lab_network *net);
/** Wait for all other simulators, unless the run fails or is to be stopped. */
void lab_simbricks_meet(struct lab_network *net);
/**
 * Take what other simulators send up to the time of the next event, or to the end of the run, and
 * tell them how far this one is.
 *
 * @return false if the run failed or is to be stopped
 */
bool lab_simbricks_turn(struct lab_network *net);
/** Tell other simulators that the run is over. */
void lab_simbricks_end(struct lab_network *net);
/** Counters of a host. */
json_t *lab_simbricks_result(const struct lab_net_peer *p);
/** Check that each frame from or to other simulators is accounted for. */
void lab_simbricks_check_end(struct lab_network *net);

/* flows.c */
int lab_flows_init(struct lab_network *net);
void lab_flows_fini(struct lab_network *net);
/** Note that a message of a host is complete; an endpoint must not be called from its own event. */
void lab_flow_complete(struct lab_net_host *h, unsigned int flow);
/** Post the messages that follow those that are complete, once the endpoint has returned. */
void lab_flows_go_on(struct lab_net_host *h, uint64_t now);
/** Note that a message of this queue pair has arrived at a host, if it belongs to a trace. */
void lab_flow_arrived(struct lab_net_host *to, uint32_t qp);
/**
 * Connect the queue pairs of the flows that begin up to a time, in the order of their beginnings:
 * that concerns two hosts, and their parts must not run. Nothing else notices before they begin.
 */
void lab_flows_get_ready(struct lab_network *net, uint64_t until);
/** Connect the queue pairs of a flow. @return 0, or a negative errno after a violation */
int lab_flow_connect(struct lab_network *net, unsigned int flow, uint64_t now);
/** Post a message of so many bytes, whose host is to be kicked. */
void lab_flow_post(struct lab_network *net, unsigned int flow, uint64_t bytes, uint64_t now);
/** Report a sample of a flow to the measure. */
void lab_flow_sample(struct lab_network *net, unsigned int flow, uint64_t now);
/** Report samples of all flows to the measure. */
void lab_flows_sample(struct lab_network *net, uint64_t now);

/* reports.c */
int lab_reports_init(struct lab_network *net);
/** A flow has connected its queue pairs: its sender reports its own, if it reports. */
void lab_report_later(struct lab_network *net, unsigned int flow, uint64_t now);
/** The sender of a flow has closed its queue pair: it takes back what it has reported. */
void lab_report_end(struct lab_network *net, unsigned int flow, uint64_t now);
/** A switch has restarted: the hosts at its links report all again. */
void lab_reports_again(const struct lab_net_switch *sw, uint64_t now);

/* goals.c */
int lab_goals_init(struct lab_network *net);
void lab_goals_fini(struct lab_network *net);
/** The next message of a flow of a trace has been acknowledged, or has arrived. */
void lab_goals_done(struct lab_network *net, unsigned int flow, bool arrived, uint64_t now);
/** The times of the traces by name; NULL when the scenario has none. */
json_t *lab_goals_result(const struct lab_network *net);

/* generator.c */
int lab_generators_init(struct lab_network *net);
void lab_generators_fini(struct lab_network *net);
/** When a switch last notified the generated flow that a notice is about: FCN_TIME_NEVER if it did
 * not; NULL: it is about none. */
const uint64_t *lab_generator_notified_at(
		const struct lab_net_switch *sw, const struct fcn_event *ev);
/** A switch made a notice. */
void lab_generator_event(const struct lab_net_switch *sw, const struct fcn_event *ev);
/** Counters of the generators by name; NULL when the scenario has none. */
json_t *lab_generators_result(const struct lab_network *net);

/* actions.c */
int lab_actions_init(struct lab_network *net);
void lab_actions_fini(struct lab_network *net);

/* spoof.c */

/** A host sends Fast CNPs to another, as if a switch sent them about flows of that host. */
void lab_spoof(struct lab_net_host *from, const struct lab_net_host *to, uint64_t count,
		uint64_t now);

/** A host asks its link's other end to pause classes. */
void lab_ask_to_pause(struct lab_net_host *from, uint8_t classes, uint16_t quanta, uint64_t now);

/* halt.c */

/** A host sends the messages of an action LAB_HOST_HALT. */
void lab_ask_to_halt(struct lab_net_host *from, const struct lab_action *a, uint64_t now);

/* tell.c */

/** A host sends the messages of an action LAB_HOST_TELL. */
void lab_tell_proxy(struct lab_net_host *from, const struct lab_action *a, uint64_t now);

/* invariants.c */

/** Add a violated invariant to the result, which keeps the first 20. */
void lab_violation(struct lab_part *part, const char *fmt, ...)
		__attribute__((format(printf, 2, 3)));
/** To be called after a turn of a switch, before changes of its queues are reported. */
void lab_check_switch(struct lab_net_switch *sw);
/** A frame came to a host; it may be a pause frame. */
void lab_check_host_got(struct lab_net_host *h, const uint8_t *data, uint32_t len, uint64_t now);
/** A host sends a frame. */
void lab_check_host_sends(const struct lab_net_host *h, const struct rte_mbuf *frame, uint64_t now);
/** To be called after an event. @return false when a node has event after event at one instant */
bool lab_check_time(struct lab_network *net);
/** To be called at the end: check that every frame is accounted for. */
void lab_check_end(struct lab_network *net);

#endif /* LAB_NETWORK_H */

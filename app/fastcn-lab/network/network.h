/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The network of a scenario: switches, hosts and links in one simulation.
 *
 * network.c        the whole, made and freed
 * node_switch.c    a switch: control, one worker, its turns
 * node_config.c    its configuration
 * node_collector.c the collector that reads the events of a switch
 * autoconf.c       ports, addresses, neighbours and routes by the topology
 * node_host.c      a host: an endpoint at its link
 * node_capture.c   a host that sends a capture instead
 * flows.c          flows begin, go on, and are cut off
 * actions.c        actions of the scenario at their times
 * generator.c      packets of very many flows, and when switches notified each of them
 * spoof.c          frames that no adapter sends by itself: spoofed notices, pause requests
 * invariants.c     what must hold after every event
 * checker*.c       checks a switch by the frames at its ports
 */

#ifndef LAB_NETWORK_H
#define LAB_NETWORK_H

#include "fcn_link_port.h"
#include "fcn_session.h"
#include "fcn_sim.h"
#include "measure.h"
#include "checker.h"

/** Buffers of a switch, for notices and copies; frames on their way are the network's. */
#define LAB_SWITCH_BUFFERS 2047

struct lab_network;

struct lab_net_link {
	struct lab_network *net;
	struct fcn_link *link;
	unsigned int index;
};

/** The end of a link at a switch. */
struct lab_net_port {
	struct lab_net_switch *sw;
	struct fcn_link_port *port;
	unsigned int link, end;
	bool open;                          /**< the configuration has a port for it */
	uint16_t number;                    /**< of the open port */
	uint64_t paused_until[FCN_CLASSES]; /**< as the other end asked; for the checker */
	uint32_t seen[FCN_CLASSES];         /**< bytes of its queues after the last turn */
	uint8_t backlog;                    /**< bit set: those that were not empty then */
};

/** Event records of a switch's worker: made = read + lost + waiting. */
struct lab_net_events {
	uint64_t made, read, lost, waiting;
};

/** Packet accounting of a switch before its restarts. */
struct lab_net_restarts {
	unsigned int n;
	uint64_t flushed; /**< frames that waited at its ports at a restart, or came where it has no
			     port */
	uint64_t received, transmitted, made,
			ended; /**< made: generated, replicated; ended: dropped, consumed, queued */
	struct lab_net_events events;
};

struct lab_net_switch {
	struct lab_network *net;
	unsigned int index;
	struct fcn_platform platform;
	struct rte_mempool *pool;
	struct fcn_control *ctl;
	struct fcn_session session;
	struct fcn_sim_event turn;
	struct lab_net_port *ends; /**< where links end at it, in the scenario's order */
	unsigned int n_ends;
	struct lab_net_port *by_number[FCN_MAX_PORTS]; /**< those of open ports */
	uint64_t last_turn;
	bool waiting;              /**< frames may wait at its ports */
	struct rte_mbuf **starved; /**< buffers taken away */
	unsigned int n_starved;
	bool late;              /**< the events that are read now are of earlier turns */
	bool unread;            /**< nobody reads its events */
	struct rte_ring *aside; /**< the worker's own ring of events, while a smaller one is in use
				 */
	struct lab_checker *checker;  /**< with `check on` */
	unsigned int idle;            /**< turns without progress at one instant */
	struct lab_net_restarts past; /**< before restarts */
};

struct lab_net_host {
	struct lab_network *net;
	unsigned int index;
	struct fcn_endpoint *ep; /**< NULL: it sends a capture */
	struct lab_net_capture *capture;
	struct fcn_sim_event nic; /**< when it may send */
	struct fcn_link *link;
	unsigned int end;
	struct rte_ether_addr mac;
	uint8_t addr[16];
	struct rte_mbuf *spare;             /**< to be filled next */
	uint64_t paused_until[FCN_CLASSES]; /**< by what the other end said */
	uint64_t no_mbuf;                   /**< times there was none */
	uint64_t sent, received;
};

/** The state of a flow. */
struct lab_net_flow {
	struct lab_network *net;
	uint32_t qp, peer_qp; /**< at the sender, at the receiver; 0: not begun */
	uint64_t posted;      /**< messages */
	uint64_t complete;
	uint64_t next_post; /**< time of the next message that is posted by time, or of the stop */
	struct fcn_sim_event event;
	bool begun;
	bool ends;   /**< some time, by itself or by its stop */
	bool ended;  /**< nothing more is posted */
	bool closed; /**< its queue pairs are gone */
};

struct lab_net_action {
	struct lab_network *net;
	unsigned int index;
	struct fcn_sim_event event;
};

struct lab_network {
	const struct lab_scenario *sc;
	struct lab_measure *m;
	struct fcn_sim *sim;
	struct rte_mempool *pool; /**< of frames */
	struct fcn_command_table *table;
	struct lab_net_link *link;
	struct lab_net_switch *node_switch;
	struct lab_net_host *host;
	struct lab_net_flow *flow;
	unsigned int unfinished; /**< flows that will end and have not */
	uint32_t *done;          /**< flows with a message complete, to be looked at */
	unsigned int n_done, done_room;
	struct lab_net_generator *generator;
	struct lab_net_action *action;
	struct fcn_random random; /**< of source ports */
	struct fcn_sim_event sample;
	uint64_t frames;     /**< put on links */
	unsigned int leaked; /**< buffers of switches */
	json_t *violations;
	bool failed;              /**< it cannot go on: lab_fail() */
	uint64_t busy_ns, n_busy; /**< lab_check_time(): the instant, and events since it came */
	FILE *err;
};

/* network.c */

/** @param err errors of configurations. @return NULL after those */
struct lab_network *lab_network_create(
		const struct lab_scenario *sc, struct lab_measure *m, FILE *err);
/** @return buffers that did not come back: leaked */
unsigned int lab_network_free(struct lab_network *net);

/** The run cannot go on. It ends without a result, and the first message is written to net->err. */
void lab_fail(struct lab_network *net, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/** Name of a node whose turn is due now, for a message. */
const char *lab_network_busy(const struct lab_network *net);

/** Fill in the totals of the network at the end of the run. */
void lab_network_totals(struct lab_network *net, struct lab_totals *totals);

/** The link, and which end of it, of a host. */
int lab_link_of_host(const struct lab_scenario *sc, unsigned int host, unsigned int *end);

/* node_switch.c */
int lab_switch_init(struct lab_network *net, unsigned int index);
void lab_switch_fini(struct lab_net_switch *sw);
/** To be called when no frame of it is on a link any more. @return number of leaked buffers */
unsigned int lab_switch_free_pool(struct lab_net_switch *sw);
/** Restart it: what it holds is lost and counted, and its configuration is loaded again. When that
 * fails, the run fails. */
void lab_switch_restart(struct lab_net_switch *sw, uint64_t now);
/** Run a line of its console language. @return 0, or a negative errno with a message on net->err */
int lab_switch_line(struct lab_net_switch *sw, const char *line, const struct lab_place *place);
/** A turn is due at this time. */
void lab_switch_wake(void *arg, uint64_t now);
/** Take all but so many free buffers away; UINT64_MAX gives them back. */
void lab_switch_starve(struct lab_net_switch *sw, uint64_t left);
/** An event of it was read. */
void lab_switch_event(void *arg, const struct fcn_event *ev);
/** MAC address that a host at this end of a link sends to, to reach another. */
struct rte_ether_addr lab_switch_gateway(
		const struct lab_net_switch *sw, unsigned int link, const struct lab_net_host *to);

/* node_collector.c */

/** Read the events of the worker's last turn, unless the collector is stopped. */
void lab_collector_turn(struct lab_net_switch *sw);
/** Stop the collector; the ring of events has room for so many from now on. */
void lab_collector_stop(struct lab_net_switch *sw, uint32_t room);
/** Start the collector; it first reads the events that are in the ring. */
void lab_collector_start(struct lab_net_switch *sw);
/** The switch stops; the events in its ring are lost, and counted as lost in sw->past. */
void lab_collector_end(struct lab_net_switch *sw);
/** Events since the last restart, and since the beginning of the run. */
void lab_collector_count(const struct lab_net_switch *sw, struct lab_net_events *events);
void lab_collector_total(const struct lab_net_switch *sw, struct lab_net_events *events);

/* node_config.c */

/** Load and commit its configuration. @return 0, or a negative errno with a message on net->err */
int lab_switch_configure(struct lab_net_switch *sw);

/* autoconf.c */

/** Commands for the switch's ports and routes. @return text to be freed, NULL: no memory */
char *lab_autoconf(const struct lab_network *net, unsigned int index);

/* node_host.c */
int lab_host_init(struct lab_network *net, unsigned int index);
void lab_host_fini(struct lab_net_host *h);
/** It may have a frame to send: look for one. */
void lab_host_kick(struct lab_net_host *h, uint64_t now);
/** MAC address of the next hop to another host. */
struct rte_ether_addr lab_host_next_hop(
		const struct lab_net_host *h, const struct lab_net_host *to);
/** Set its IPv6 and MAC address, before anything else is made. */
void lab_host_identify(struct lab_network *net, unsigned int index);

/* node_capture.c */
int lab_capture_init(struct lab_network *net, const struct lab_capture *c);
void lab_capture_fini(struct lab_net_host *h);

/* flows.c */
int lab_flows_init(struct lab_network *net);
void lab_flows_fini(struct lab_network *net);
/** Note that a message is complete; an endpoint must not be called from its own event. */
void lab_flow_complete(struct lab_network *net, unsigned int flow);
/** Post the messages that follow those that are complete, once the endpoint has returned. */
void lab_flows_go_on(struct lab_network *net, uint64_t now);
/** Report a sample of a flow to the measure. */
void lab_flow_sample(struct lab_network *net, unsigned int flow, uint64_t now);
/** Report samples of all flows to the measure. */
void lab_flows_sample(struct lab_network *net, uint64_t now);

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

/* invariants.c */

/** Add a violated invariant to the result, which keeps the first 20. */
void lab_violation(struct lab_network *net, const char *fmt, ...)
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

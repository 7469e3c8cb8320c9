/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * `fastcn-lab host`: one endpoint of lib/endpoint on a DPDK device, in the time of the processor's
 * clock. One thread does it all.
 *
 * host.c           the program: command line, EAL, beginning and end
 * host_options.c   command line
 * host_endpoint.c  parameters of the endpoint
 * host_port.c      the device
 * host_nd.c        neighbour discovery and echo
 * host_traffic.c   queue pairs and their messages
 * host_listen.c    queue pairs of peers that nobody told of
 * host_receive.c   frames that come
 * host_loop.c      the clock, turns, sleep, signals
 * host_report.c    statistics and summary
 */

#ifndef HOST_LIVE_H
#define HOST_LIVE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <rte_mbuf.h>

#include "fcn_ethdev.h"
#include "fcn_line.h"
#include "host_nd.h"
#include "host_options.h"

#define HOST_BURST 32
#define HOST_SOURCES 64 /**< whose notices are counted one by one */
#define HOST_NEVER UINT64_MAX

/* X(field, text): counters beside the endpoint's; one source of the struct, of JSON and text. */
#define HOST_COUNTERS(X)                                                                        \
	X(tx_full, "times the device took no more frames, which then waited")                   \
	X(no_buffer, "times there was no packet buffer, and frames waited")                     \
	X(rx_too_long, "frames longer than an endpoint reads, dropped")                         \
	X(reply_dropped, "answers of neighbour discovery and echo that found no room, dropped") \
	X(late_ns, "time the processor came too late to use the line, nanoseconds")             \
	X(listened, "queue pairs that a first packet connected")                                \
	X(listen_refused, "first packets for which there was no queue pair")                    \
	X(sources_untold, "Fast CNPs of more sources than are told apart")

struct host_counters {
#define HOST_FIELD(field, text) uint64_t field;
	HOST_COUNTERS(HOST_FIELD)
#undef HOST_FIELD
};

/** The device, with frames that wait for it. */
struct host_port {
	struct rte_mempool *pool;
	struct fcn_ethdev *dev;
	struct rte_ether_addr mac;
	struct rte_mbuf *out[HOST_BURST]; /**< in order, not yet taken */
	unsigned int n_out;
	int claim;        /**< socket whose name says that it is in use; -1: none */
	bool down;        /**< its link was, at the last look */
	uint64_t look_ns; /**< next */
};

/** Who sent Fast CNPs. */
struct host_source {
	uint8_t addr[16];
	uint64_t notices;
};

struct host_qp {
	uint32_t number; /**< at either end */
	bool connected;
	bool learnt;       /**< by a first packet, from src_port */
	uint16_t src_port; /**< of that packet */
	uint8_t peer[16];
	uint64_t posted, complete, delivered; /**< messages */
	uint64_t acked;                       /**< bytes, when last looked at */
};

enum host_phase {
	HOST_RESOLVE, /**< the next hop is asked for */
	HOST_RUN,
	HOST_DRAIN,  /**< no new messages; those under way are waited for */
	HOST_LINGER, /**< all is complete; answers still on their way are waited for */
	HOST_END,
};

struct host_live {
	struct host_options opt;
	struct fcn_endpoint_conf conf;
	struct fcn_endpoint *ep;
	struct host_port port;
	struct host_nd nd;
	struct host_counters n;
	struct fcn_line line;
	struct fcn_crc32 crc;
	/* clock */
	uint64_t tsc_start, tsc_mult; /**< nanoseconds a cycle, times 2^32 */
	uint64_t ep_now;              /**< of the endpoint: behind the clock where turns are late */
	uint64_t signals_ns;          /**< they are looked at then */
	sigset_t signals;             /**< that end the program, blocked */
	/* traffic */
	struct host_qp *qp;
	unsigned int n_qps; /**< of opt.qps */
	uint32_t *done;     /**< queue pairs with a message complete */
	unsigned int n_done;
	enum host_phase phase;
	uint64_t begin_ns, end_ns; /**< messages began, were all complete */
	uint64_t linger_ns;        /**< until */
	uint64_t progress_ns;      /**< something was acknowledged last */
	bool interrupted, failed;
	bool repeated;                                /**< a sender went back */
	bool other_way_told, asking_told, drain_told; /**< what was said, once */
	struct host_source source[HOST_SOURCES];
	unsigned int n_sources;
	/* statistics */
	uint64_t report_ns; /**< next */
	uint64_t reported_ns;
	uint64_t reported_acked;
	struct fcn_endpoint_counters reported;
};

/* host_port.c */

/** Open the device. @return 0, or -1 with what is wrong on stderr */
int host_port_open(struct host_live *live);
void host_port_close(struct host_port *port);
/** Say when the link goes down, or comes back. @return when to look again */
uint64_t host_port_watch(struct host_live *live, uint64_t now);
/** A buffer for a frame that is to be sent next. @return NULL: no room now */
struct rte_mbuf *host_port_buffer(struct host_live *live);
/** Send it; host_port_buffer() gave it last, a length is written. */
void host_port_send(struct host_live *live, struct rte_mbuf *m, uint32_t len);
/** Hand to the device what it takes. @return frames taken */
unsigned int host_port_flush(struct host_live *live);

/* host_traffic.c */

/** Make the endpoint and its queue pairs. @return 0, or -1 with what is wrong on stderr */
int host_traffic_init(struct host_live *live);
void host_traffic_fini(struct host_live *live);
/** Go from phase to phase; post what is to be posted. @return when to be called again */
uint64_t host_traffic_run(struct host_live *live, uint64_t now);
/** A signal came. */
void host_traffic_interrupt(struct host_live *live);
/** Queue pair by its number, NULL: none. */
struct host_qp *host_qp_find(struct host_live *live, uint32_t number);
/** Messages of all queue pairs. */
void host_traffic_sum(const struct host_live *live, uint64_t *posted, uint64_t *complete,
		uint64_t *delivered);
/** Bytes that were acknowledged, of all queue pairs. */
uint64_t host_traffic_acked(const struct host_live *live);
/** Whether all that was to be sent was acknowledged. */
bool host_traffic_ok(const struct host_live *live);

/* host_listen.c */

/** A frame that the endpoint will get next may be the first of a new peer: connect it. */
void host_listen(struct host_live *live, const uint8_t *frame, uint32_t len, uint64_t now);

/* host_receive.c */

/** A frame came in; it stays the caller's. */
void host_receive(struct host_live *live, const struct rte_mbuf *m, uint64_t now);
/** Send a copy of a frame of our own making, before those of the endpoint that come later. */
void host_send_copy(struct host_live *live, const uint8_t *frame, uint32_t len, uint64_t now);

/* host_loop.c */

/** Until it is over. */
void host_loop(struct host_live *live);

/* host_report.c */

/** Statistics so far, as one value. */
json_t *host_report(struct host_live *live, uint64_t now, bool summary);
/** Write what is due. @return when to be called again */
uint64_t host_report_run(struct host_live *live, uint64_t now);
void host_report_summary(struct host_live *live, uint64_t now);

#endif /* HOST_LIVE_H */

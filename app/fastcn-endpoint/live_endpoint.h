/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The program fastcn-endpoint: one endpoint of lib/endpoint on a DPDK device, driven by the
 * processor's clock. One thread does everything.
 *
 * main.c       command line, EAL, beginning and end
 * options.c    options of the command line
 * settings.c   parameters of the endpoint
 * port.c       the device
 * neighbour.c  neighbour discovery and echo
 * traffic.c    queue pairs and their messages
 * listen.c     queue pairs that a peer's first packet connects
 * receive.c    frames that the device receives
 * loop.c       the clock, turns, sleep, signals
 * report.c     statistics and summary
 */

#ifndef LIVE_ENDPOINT_H
#define LIVE_ENDPOINT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>
#include <rte_mbuf.h>

#include "fcn_ethdev.h"
#include "fcn_line.h"
#include "neighbour.h"
#include "options.h"

#define LIVE_BURST 32
#define LIVE_SOURCES 64 /**< sources of Fast CNPs that are counted each on its own */
#define LIVE_NEVER UINT64_MAX

/* X(field, text): counters beside the endpoint's; one source of the struct, of JSON and text. */
#define LIVE_COUNTERS(X)                                                                        \
	X(tx_full, "times the device took no more frames, which then waited")                   \
	X(no_buffer, "times there was no packet buffer, and frames waited")                     \
	X(rx_too_long, "frames longer than an endpoint reads, dropped")                         \
	X(reply_dropped, "answers of neighbour discovery and echo that found no room, dropped") \
	X(late_ns, "time the processor came too late to use the line, nanoseconds")             \
	X(listened, "queue pairs that a first packet connected")                                \
	X(listen_refused, "first packets for which there was no queue pair")                    \
	X(sources_untold, "Fast CNPs of more sources than are told apart")

struct live_counters {
#define LIVE_FIELD(field, text) uint64_t field;
	LIVE_COUNTERS(LIVE_FIELD)
#undef LIVE_FIELD
};

/** The device, with frames that wait for it. */
struct live_port {
	struct rte_mempool *pool;
	struct fcn_ethdev *dev;
	struct rte_ether_addr mac;
	struct rte_mbuf *out[LIVE_BURST]; /**< in order, not yet taken */
	unsigned int n_out;
	int claim;        /**< socket whose name says that it is in use; -1: none */
	bool down;        /**< its link was, at the last look */
	uint64_t look_ns; /**< next */
};

/** A switch, or another node, that Fast CNPs came from. */
struct live_source {
	uint8_t addr[16];
	uint64_t notices;
};

struct live_qp {
	uint32_t number; /**< at either end */
	bool connected;
	bool learnt;       /**< by a first packet, from src_port */
	uint16_t src_port; /**< of that packet */
	uint8_t peer[16];
	uint64_t posted, complete, delivered; /**< messages */
	uint64_t acked;                       /**< bytes, when last looked at */
};

enum live_phase {
	LIVE_RESOLVE, /**< the next hop is asked for */
	LIVE_RUN,
	LIVE_DRAIN,  /**< no new messages; those under way are waited for */
	LIVE_LINGER, /**< all is complete; answers still on their way are waited for */
	LIVE_END,
};

struct live_endpoint {
	struct live_options opt;
	struct fcn_endpoint_conf conf;
	struct fcn_endpoint *ep;
	struct live_port port;
	struct live_nd nd;
	struct live_counters n;
	struct fcn_line line;
	struct fcn_crc32 crc;
	/* clock */
	uint64_t tsc_start, tsc_mult; /**< nanoseconds a cycle, times 2^32 */
	uint64_t ep_now;              /**< of the endpoint: behind the clock where turns are late */
	uint64_t signals_ns;          /**< they are looked at then */
	sigset_t signals;             /**< that end the program, blocked */
	/* traffic */
	struct live_qp *qp;
	unsigned int n_qps; /**< of opt.qps */
	uint32_t *done;     /**< queue pairs with a message complete */
	unsigned int n_done;
	enum live_phase phase;
	uint64_t begin_ns, end_ns; /**< messages began, were all complete */
	uint64_t linger_ns;        /**< until */
	uint64_t progress_ns;      /**< something was acknowledged last */
	bool interrupted, failed;
	bool repeated;                                /**< a sender went back */
	bool other_way_told, asking_told, drain_told; /**< what was said, once */
	struct live_source source[LIVE_SOURCES];
	unsigned int n_sources;
	/* statistics */
	uint64_t report_ns; /**< next */
	uint64_t reported_ns;
	uint64_t reported_acked;
	struct fcn_endpoint_counters reported;
};

/* port.c */

/** Open the device. @return 0, or -1 with what is wrong on stderr */
int live_port_open(struct live_endpoint *live);
void live_port_close(struct live_port *port);
/** Say when the link goes down, or comes back. @return when to look again */
uint64_t live_port_watch(struct live_endpoint *live, uint64_t now);
/** A buffer for a frame that is to be sent next. @return NULL: no room now */
struct rte_mbuf *live_port_buffer(struct live_endpoint *live);
/** Send it; live_port_buffer() gave it last, a length is written. */
void live_port_send(struct live_endpoint *live, struct rte_mbuf *m, uint32_t len);
/** Hand to the device what it takes. @return frames taken */
unsigned int live_port_flush(struct live_endpoint *live);

/* traffic.c */

/** Make the endpoint and its queue pairs. @return 0, or -1 with what is wrong on stderr */
int live_traffic_init(struct live_endpoint *live);
void live_traffic_fini(struct live_endpoint *live);
/** Go from phase to phase; post what is to be posted. @return when to be called again */
uint64_t live_traffic_run(struct live_endpoint *live, uint64_t now);
/** A signal came. */
void live_traffic_interrupt(struct live_endpoint *live);
/** Queue pair by its number, NULL: none. */
struct live_qp *live_qp_find(struct live_endpoint *live, uint32_t number);
/** Messages of all queue pairs. */
void live_traffic_sum(const struct live_endpoint *live, uint64_t *posted, uint64_t *complete,
		uint64_t *delivered);
/** Bytes that were acknowledged, of all queue pairs. */
uint64_t live_traffic_acked(const struct live_endpoint *live);
/** Whether all that was to be sent was acknowledged. */
bool live_traffic_ok(const struct live_endpoint *live);

/* listen.c */

/** A frame that the endpoint will get next may be the first of a new peer: connect it. */
void live_listen(struct live_endpoint *live, const uint8_t *frame, uint32_t len, uint64_t now);

/* receive.c */

/** A frame came in; it stays the caller's. */
void live_receive(struct live_endpoint *live, const struct rte_mbuf *m, uint64_t now);
/** Send a copy of a frame of our own making, before those of the endpoint that come later. */
void live_send_copy(struct live_endpoint *live, const uint8_t *frame, uint32_t len, uint64_t now);

/* loop.c */

/** Until it is over. */
void live_loop(struct live_endpoint *live);

/* report.c */

/** Statistics so far, as one value. */
json_t *live_report(struct live_endpoint *live, uint64_t now, bool summary);
/** Write what is due. @return when to be called again */
uint64_t live_report_run(struct live_endpoint *live, uint64_t now);
void live_report_summary(struct live_endpoint *live, uint64_t now);

#endif /* LIVE_ENDPOINT_H */

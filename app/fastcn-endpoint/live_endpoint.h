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
#include "fcn_serializer.h"
#include "neighbour.h"
#include "options.h"

#define LIVE_BURST 32
#define LIVE_SOURCES 64 /**< maximum number of sources of Fast CNPs that are counted separately */
#define LIVE_NEVER UINT64_MAX

/*
 * X(field, text): counters in addition to those of lib/endpoint. The list is the source of the
 * struct, of JSON and of the text.
 */
#define LIVE_COUNTERS(X)                                                                         \
	X(tx_full, "times the device took no more frames, which then waited")                    \
	X(no_buffer, "times there was no packet buffer, and frames waited")                      \
	X(rx_too_long, "frames longer than an endpoint reads, dropped")                          \
	X(reply_dropped, "answers of neighbour discovery and echo that found no room, dropped")  \
	X(late_ns, "time the processor came too late to use the line, nanoseconds")              \
	X(listened, "queue pairs that a first packet connected")                                 \
	X(listen_refused, "first packets refused because their queue pair does not exist or is " \
			  "in use")                                                              \
	X(sources_untold, "Fast CNPs of sources beyond the number that is counted separately")

struct live_counters {
#define LIVE_FIELD(field, text) uint64_t field;
	LIVE_COUNTERS(LIVE_FIELD)
#undef LIVE_FIELD
};

/** The device, and the frames that it has not accepted yet. */
struct live_port {
	struct rte_mempool *pool;
	struct fcn_ethdev *dev;
	struct rte_ether_addr mac;
	/** Frames in order, which the device has not accepted yet. */
	struct rte_mbuf *out[LIVE_BURST];
	unsigned int n_out;
	int claim; /**< socket whose name marks the address and interface as in use; -1: none */
	bool down; /**< its link was down when it was last polled */
	uint64_t look_ns; /**< time of the next poll of the link */
};

/** A source of Fast CNPs: a switch or another node. */
struct live_source {
	uint8_t addr[16];
	uint64_t notices;
};

struct live_qp {
	uint32_t number; /**< number of the queue pair, which is the same at both ends */
	bool connected;
	bool learnt;       /**< connected by the first packet of a peer, from src_port */
	uint16_t src_port; /**< UDP source port of that packet */
	uint8_t peer[16];
	uint64_t posted, complete, delivered; /**< numbers of messages */
	uint64_t acked; /**< bytes acknowledged when progress was last checked */
};

enum live_phase {
	LIVE_RESOLVE, /**< the MAC address of the next hop is not known yet */
	LIVE_RUN,
	LIVE_DRAIN,  /**< no new messages are started, and some are not complete yet */
	LIVE_LINGER, /**< all messages are complete; late packets of the peer are still answered */
	LIVE_END,
};

struct live_endpoint {
	struct live_options opt;
	struct fcn_endpoint_conf conf;
	struct fcn_endpoint *ep;
	struct live_port port;
	struct live_nd nd;
	struct live_counters n;
	struct fcn_serializer serializer;
	struct fcn_crc32 crc;
	/* clock */
	uint64_t tsc_start, tsc_mult; /**< TSC at the start, and nanoseconds per cycle times 2^32 */
	/** Time of the endpoint, which is behind the clock while turns are late. */
	uint64_t ep_now;
	uint64_t signals_ns; /**< time at which signals are checked next */
	sigset_t signals;    /**< signals that end the program; they are blocked */
	/* traffic */
	struct live_qp *qp;
	unsigned int n_qps; /**< number of queue pairs */
	uint32_t *done;     /**< queue pairs with a completed message */
	unsigned int n_done;
	enum live_phase phase;
	/** Time at which the first message started, and at which all were complete. */
	uint64_t begin_ns, end_ns;
	uint64_t linger_ns;   /**< end of LIVE_LINGER */
	uint64_t progress_ns; /**< time of the last acknowledgement of new data */
	bool interrupted, failed;
	bool repeated; /**< a queue pair has retransmitted */
	/** The message was printed; each is printed once. */
	bool other_way_reported, asking_reported, drain_reported;
	struct live_source source[LIVE_SOURCES];
	unsigned int n_sources;
	/** Time from the headers of trimmed packets to the packets; n of them. */
	uint64_t repairs, repair_sum_ns, repair_min_ns, repair_max_ns;
	/* statistics */
	uint64_t report_ns; /**< time of the next report */
	uint64_t reported_ns;
	uint64_t reported_acked;
	struct fcn_endpoint_counters reported;
};

/* port.c */

/** Open the device. @return 0, or -1 with a message on stderr */
int live_port_open(struct live_endpoint *live);
void live_port_close(struct live_port *port);
/** Report on stderr when the link goes down or up. @return time of the next call, ns */
uint64_t live_port_watch(struct live_endpoint *live, uint64_t now);
/** Get a buffer for the next frame. @return NULL when the queue is full or no buffer is free */
struct rte_mbuf *live_port_buffer(struct live_endpoint *live);
/** Queue a frame of this length for the device. m is the last result of live_port_buffer(). */
void live_port_send(struct live_endpoint *live, struct rte_mbuf *m, uint32_t len);
/** Pass queued frames to the device. @return number of frames that it accepted */
unsigned int live_port_flush(struct live_endpoint *live);

/* traffic.c */

/** Create the endpoint and its queue pairs. @return 0, or -1 with a message on stderr */
int live_traffic_init(struct live_endpoint *live);
void live_traffic_fini(struct live_endpoint *live);
/** Change the phase when it is time, and post messages. @return time of the next call, ns */
uint64_t live_traffic_run(struct live_endpoint *live, uint64_t now);
/** Process a signal that ends the program. */
void live_traffic_interrupt(struct live_endpoint *live);
/** Find a queue pair by its number. @return NULL when there is none */
struct live_qp *live_qp_find(struct live_endpoint *live, uint32_t number);
/** Get the numbers of messages, over all queue pairs. */
void live_traffic_sum(const struct live_endpoint *live, uint64_t *posted, uint64_t *complete,
		uint64_t *delivered);
/** Get the number of acknowledged bytes, over all queue pairs. */
uint64_t live_traffic_acked(const struct live_endpoint *live);
/** Whether all messages that were to be sent were acknowledged. */
bool live_traffic_ok(const struct live_endpoint *live);

/* listen.c */

/**
 * Connect a queue pair if a received frame is the first of a new peer. It is called before the
 * endpoint processes the frame.
 */
void live_listen(struct live_endpoint *live, const uint8_t *frame, uint32_t len, uint64_t now);

/* receive.c */

/** Process a frame from the device. The caller keeps the buffer. */
void live_receive(struct live_endpoint *live, const struct rte_mbuf *m, uint64_t now);
/** Send a copy of a frame that is not the endpoint's, such as a neighbour advertisement. */
void live_send_copy(struct live_endpoint *live, const uint8_t *frame, uint32_t len, uint64_t now);

/* loop.c */

/** Run until the last phase ends. */
void live_loop(struct live_endpoint *live);

/* report.c */

/** Make the statistics since the last report, or of the whole run (summary), as a JSON object. */
json_t *live_report(struct live_endpoint *live, uint64_t now, bool summary);
/** Write the statistics when they are due. @return time of the next call, ns */
uint64_t live_report_run(struct live_endpoint *live, uint64_t now);
void live_report_summary(struct live_endpoint *live, uint64_t now);

#endif /* LIVE_ENDPOINT_H */

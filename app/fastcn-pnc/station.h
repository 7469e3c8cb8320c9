/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The sockets of the BMP station: addresses that routers connect to, and their connections.
 */

#ifndef PNC_STATION_H
#define PNC_STATION_H

#include <poll.h>

#include "fcn_pnc_bmp.h"
#include "options.h"

#define STATION_MAX_SESSIONS 256
#define STATION_MAX_POLL (PNC_MAX_BMP + STATION_MAX_SESSIONS)

/* X(member, text) */
#define STATION_COUNTERS(X)                                                                  \
	X(accepted, "connections of routers")                                                \
	X(refused, "connections refused, as no --bmp-from contains the router's address")    \
	X(full_silent, "connections refused, as a quarter of all there may be has no "       \
		       "Initiation yet and is of their source, an address or a /64 of IPv6") \
	X(full_source, "connections refused, as three quarters of all there may be are of "  \
		       "their address")                                                      \
	X(ended_for_other, "connections that were ended, as another address with fewer of "  \
			   "them had no room: of the address with the most, the one that "   \
			   "was not heard of for longest")                                   \
	X(no_descriptor, "times that no connection could be accepted, as descriptors or "    \
			 "memory are used up; tried again after 250 ms")                     \
	X(idle, "connections that were ended, as they had no Initiation within --bmp-wait")  \
	X(lost, "connections that ended without a Termination")

struct station_counters {
#define STATION_MEMBER(member, text) uint64_t member;
	STATION_COUNTERS(STATION_MEMBER)
#undef STATION_MEMBER
};

struct station_session {
	int fd; /**< -1: not used */
	struct fcn_pnc_bmp_session *session;
	uint64_t since_ns;    /**< when it connected */
	uint64_t heard_ns;    /**< when something came last */
	struct fcn_addr addr; /**< of the router */
	char from[FCN_ADDR_STRLEN];
};

struct station {
	const struct pnc_options *opt;
	struct fcn_pnc_bmp *bmp; /**< NULL: there is none */
	int listen[PNC_MAX_BMP];
	struct station_session sessions[STATION_MAX_SESSIONS];
	uint64_t accept_ns; /**< when to accept again; 0: at any time */
	struct station_counters counters;
};

/** Listen. Errors are written to stderr. @return 0 or -1 */
int station_open(struct station *s, const struct pnc_options *opt, const struct fcn_pnc_sink *sink,
		uint64_t secret);
void station_close(struct station *s);

/** Write what poll() is to wait for. @param fds STATION_MAX_POLL of them @return their number */
unsigned int station_poll(const struct station *s, struct pollfd *fds, uint64_t now_ns);

/** Get the time when station_poll() waits for more; UINT64_MAX: it waits for all. */
uint64_t station_due(const struct station *s);

/** Accept, read and process a bounded number of bytes of what poll() has found. */
void station_run(struct station *s, const struct pollfd *fds, unsigned int n, uint64_t now_ns);

/** Once a second: times that are over. */
void station_tick(struct station *s, uint64_t now_ns);

#endif /* PNC_STATION_H */

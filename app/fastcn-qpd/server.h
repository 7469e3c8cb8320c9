/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The addresses that hosts connect to, their connections and TLS. Before a host has shown its
 * certificate, its connection is one of few; when there are too many, the oldest makes room. So
 * whoever connects and says nothing does not keep out those who go on.
 */

#ifndef QPD_SERVER_H
#define QPD_SERVER_H

#include <sys/queue.h>

#include "credentials.h"
#include "session.h"

#define SERVER_HANDSHAKES 64 /**< maximum number of connections without a certificate */
#define SERVER_ACCEPTS 256   /**< maximum number of connections that are accepted in a second */

/* X(member, text) */
#define SERVER_COUNTERS(X)                                                                   \
	X(accepted, "connections that were accepted")                                        \
	X(not_from, "connections refused, as no --from contains their address")              \
	X(no_descriptor, "times that no connection could be accepted, as descriptors or "    \
			 "memory are used up")                                               \
	X(too_many, "connections that were ended without a certificate, as there were "      \
		    "too many of them and they were the oldest")                             \
	X(slow, "connections that were ended, as no certificate came within --handshake")    \
	X(handshake, "connections that were ended, as what came is no TLS 1.3, or the host " \
		     "does not believe the switch's certificate")                            \
	X(no_certificate, "hosts without a certificate")                                     \
	X(not_trusted, "hosts whose certificate is not signed by --ca, not valid now, "      \
		       "revoked, or not for clients")                                        \
	X(no_name, "hosts whose certificate has no common name of letters, digits, '.', "    \
		   "'-' and '_', up to 63 of them")                                          \
	X(no_address, "hosts whose certificate has no IP address, or more than 64")          \
	X(hosts, "hosts refused, as there are as many as --hosts permits")                   \
	X(sessions, "sessions of hosts that have begun")

struct server_counters {
#define SERVER_MEMBER(member, text) uint64_t member;
	SERVER_COUNTERS(SERVER_MEMBER)
#undef SERVER_MEMBER
};

/** All that is counted; a reason for a line of the log is one of them. */
struct counters {
	struct server_counters server;
	struct session_counters session;
	uint64_t ends[SESSION_END_COUNT];
};

#define N_COUNTERS (sizeof(struct counters) / sizeof(uint64_t))

/** How many lines of the log a reason had. */
struct log_limit {
	uint64_t begin_ns;
	unsigned int lines, left_out;
};

struct server;

struct connection {
	struct server *server;
	int fd;
	uint32_t events; /**< that epoll waits for */
	gnutls_session_t tls;
	bool is_open;    /**< the host has shown its certificate; the session has begun */
	bool is_blocked; /**< what was to be sent waits for the host to read */
	bool has_more;   /**< octets have come that need no event */
	bool is_gone;    /**< the other end does not exist any more */
	uint64_t since_ns;
	time_t expires; /**< when the certificate ends */
	struct session session;
	struct hosts_peer peer;
	char from[FCN_ADDR_STRLEN];
	TAILQ_ENTRY(connection) link;
};

TAILQ_HEAD(connections, connection);

struct server {
	const struct qpd_options *opt;
	struct hosts *hosts;
	int epoll;
	int listen[QPD_MAX_LISTEN]; /**< -1: not open */
	bool is_listening;          /**< epoll waits for connections */
	struct credentials credentials;
	struct connections all;  /**< in the order in which they came */
	struct connection *next; /**< the one whose turn is next */
	unsigned int n_handshakes, n_open;
	uint64_t accept_ns; /**< begin of the second in which connections are counted */
	unsigned int accepts;
	uint64_t again_ns; /**< when connections are accepted again; 0: they are */
	uint64_t now_ns;
	struct counters counters;
	struct log_limit limit[N_COUNTERS];
};

/** Read certificates and listen. Errors are written to stderr. @return 0 or -1 */
int server_open(struct server *s, const struct qpd_options *opt, struct hosts *hosts, int epoll);
void server_close(struct server *s);

/** Read the certificates again, and end all sessions, whose hosts come back at once. If they cannot
 * be read, the former ones stay in use. */
void server_reload(struct server *s, uint64_t now_ns);

/** Note events that epoll reports with this pointer, if it is one of the server. */
void server_event(struct server *s, const void *ptr, uint32_t events, uint64_t now_ns);

/** After all events: sessions that have something to do. @param wall_s time of the day, for
 * certificates */
void server_run(struct server *s, time_t wall_s, uint64_t now_ns);

/** Get the time when server_run() has something to do without an event; 0: now. */
uint64_t server_due(const struct server *s);

#endif /* QPD_SERVER_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The report of a host about its RDMA queue pairs to its first switch (doc/hosts.md, "The report on
 * the wire"): records inside a TLS 1.3 connection, which this does not know of. All numbers are in
 * network byte order. A record is
 *
 *	type (1 octet), 0 (1 octet), length of the record with these 4 octets (2 octets), content
 *
 * The host says HELLO once, then BEGIN, ADD for each queue pair, END, and from then on ADD and
 * REMOVE as queue pairs come and go. It can say BEGIN ... END again; what was not added between
 * them is gone then. SYNC, with a number that rises, is the sign of life, and asks when all before
 *it is in force. The switch says CONFIRM, with the last number that it has read and the last one
 *that is in force, for each SYNC and when more is in force, and REFUSED for what it does not take.
 *
 * Any thread may call these functions, which depend on their arguments alone.
 */

#ifndef FCN_HOST_REPORT_H
#define FCN_HOST_REPORT_H

#include <stddef.h>
#include <stdint.h>

#define FCN_HOST_REPORT_VERSION 1
#define FCN_HOST_REPORT_SIZE 48         /**< length of the longest record, octets */
#define FCN_HOST_REPORT_MAX_QP 0xFFFFFF /**< queue pairs have numbers of 24 bits */

/* X(symbol, type, octets of content) */
#define FCN_HOST_REPORT_RECORDS(X)                                                  \
	X(HELLO, 1, 8)    /* "FQPR", version (1 octet), 0 (3 octets) */             \
	X(BEGIN, 2, 0)    /* what follows is all there is */                        \
	X(ADD, 3, 40)     /* a queue pair: address of this host (16 octets, IPv4 as \
			     ::ffff:a.b.c.d), address of the other end (16 octets), \
			     their queue pairs (4 octets each) */                   \
	X(REMOVE, 4, 40)  /* the same */                                            \
	X(END, 5, 0)      /* ... it was all */                                      \
	X(SYNC, 6, 8)     /* number */                                              \
	X(CONFIRM, 7, 16) /* number of the last SYNC that was read, number of the   \
			     last one that is in force */                           \
	X(REFUSED, 8, 44) /* reason (1 octet), 0 (3 octets), queue pair, or zeros */

/** Type of a record. */
enum fcn_host_report_type {
#define FCN_HOST_REPORT_TYPE(sym, type, octets) FCN_HOST_REPORT_##sym = (type),
	FCN_HOST_REPORT_RECORDS(FCN_HOST_REPORT_TYPE)
#undef FCN_HOST_REPORT_TYPE
};

/* X(symbol, number, text): why the switch does not take something. */
#define FCN_HOST_REPORT_REASONS(X)                                                   \
	X(VERSION, 1, "it speaks another version of the report")                     \
	X(ADDRESS, 2, "the certificate does not name the address of the queue pair") \
	X(ENTRIES, 3, "the host has as many queue pairs as it may have")             \
	X(TOTAL, 4, "all hosts together have as many queue pairs as they may have")  \
	X(SWITCH, 5, "the switch has refused it")                                    \
	X(INVALID, 6, "an address is not that of a host, or the addresses are of IPv4 and IPv6")

/** Why something is not taken. */
enum fcn_host_report_reason {
#define FCN_HOST_REPORT_REASON(sym, number, text) FCN_HOST_REPORT_REASON_##sym = (number),
	FCN_HOST_REPORT_REASONS(FCN_HOST_REPORT_REASON)
#undef FCN_HOST_REPORT_REASON
};

/** A connected queue pair as its host sees it. */
struct fcn_host_report_qp {
	uint8_t local[16], remote[16]; /**< IPv6, or IPv4 as ::ffff:a.b.c.d, network byte order */
	uint32_t local_qp, remote_qp;  /**< host byte order */
};

/** A record. Members that its type does not have are not read, and become 0. */
struct fcn_host_report_record {
	enum fcn_host_report_type type;
	uint8_t version;   /**< HELLO */
	uint8_t reason;    /**< REFUSED: enum fcn_host_report_reason, or one of later versions */
	uint64_t number;   /**< SYNC; CONFIRM: the last one that was read */
	uint64_t in_force; /**< CONFIRM */
	struct fcn_host_report_qp qp; /**< ADD, REMOVE, REFUSED */
};

/**
 * Write a record.
 *
 * @return its length in octets, at most FCN_HOST_REPORT_SIZE
 */
size_t fcn_host_report_write(
		const struct fcn_host_report_record *record, uint8_t out[FCN_HOST_REPORT_SIZE]);

/**
 * Read the first record.
 *
 * @return its length in octets; 0: there is more to come; -EBADMSG: this is none
 */
int fcn_host_report_read(const uint8_t *data, size_t len, struct fcn_host_report_record *record);

/** Get the text of a reason; that of one that is not known says so. */
const char *fcn_host_report_reason_text(uint8_t reason);

#endif /* FCN_HOST_REPORT_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * State of the checker of a switch.
 *
 * checker.c        checks of frames at its ports
 * checker_event.c  checks of events that it reports about them
 */

#ifndef LAB_CHECKER_PRIVATE_H
#define LAB_CHECKER_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_icrc.h"
#include "fcn_notice_kind.h"
#include "checker.h"

#define ECN_CE 3

/* Requirement for the ECN field of a packet when it leaves. */
enum look {
	LOOK_ANY,
	LOOK_NOT_CE, /* it is not CE, unless the packet was received with CE */
	LOOK_CE,     /* it is CE, unless the packet is Not-ECT */
};

/* State of a packet inside a switch, in the private data of its mbuf. */
struct sighting {
	uint8_t sender[16], receiver[16];
	uint32_t dest_qp;
	uint16_t in_port, out_port; /* port numbers */
	uint8_t ecn_in;  /* CE if either header of a tunnel has it; otherwise that of the inner one
			  */
	uint8_t ecn_out; /* that of the outer header */
	uint8_t class;
	uint8_t look;
	uint16_t look_port; /* the requirement holds if the packet leaves by this port */
	bool is_data;
	bool tunnel_out; /* it leaves in a tunnel */
};

/* Packets seen in this turn. */
struct sightings {
	struct sighting **item;
	unsigned int n, room;
};

/* Intervals between notices of a kind. */
struct kind_check {
	/* Time of the last notice, indexed by flow; FCN_TIME_NEVER: there was none. */
	uint64_t *notified;
	uint64_t early;                     /* notices before a flow's interval had passed */
	uint64_t forgotten, forgotten_seen; /* flows that the switch counts as forgotten */
};

struct lab_checker {
	struct sightings in, out;
	struct kind_check kind[FCN_NOTICE_KIND_MAX];
	uint64_t left_seen; /* packets that have waited for their flow, up to the last turn */
	struct fcn_crc32 crc;
	bool crc_ready;
};

/** What kinds of notices have in common that send Fast CNPs. */
const struct fcn_fastcnp_kind_conf *lab_checker_conf(
		const struct lab_net_switch *sw, unsigned int kind);
const char *lab_checker_name(const struct lab_net_switch *sw);
/** Whether an address is the loopback address of a switch. */
bool lab_checker_is_loopback(const struct lab_network *net, const uint8_t *addr);

#endif /* LAB_CHECKER_PRIVATE_H */

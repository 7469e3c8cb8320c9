/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The packet of the command `explain`: made of fields, read as hexadecimal digits, or taken from a
 * capture file.
 */

#ifndef EXPLAIN_PRIVATE_H
#define EXPLAIN_PRIVATE_H

#include <stddef.h>
#include <stdint.h>

#include <rte_ether.h>

#include "fcn_addr.h"
#include "fcn_dry_run.h"

/** A frame from its Ethernet header on, without FCS. */
struct explain_frame {
	uint32_t len;
	uint8_t data[FCN_DRY_RUN_MAX_LEN];
};

/** What is to be told of a data packet of RoCEv2. */
struct explain_fields {
	struct rte_ether_addr from, to;
	uint16_t vlan;            /**< VLAN ID of its tag; 0: it has none */
	struct fcn_addr src, dst; /**< of the same version */
	uint32_t qp;              /**< destination queue pair, 24 bits */
	uint16_t source_port;
	uint8_t dscp, ecn, hop_limit;
	uint32_t len; /**< length of the frame; 0: that with 1024 octets of payload */
};

/**
 * Make an RC SEND Only with a payload of zeros and a correct ICRC.
 *
 * @return 0; -ERANGE: the length is below that of the headers, or above FCN_DRY_RUN_MAX_LEN
 */
int explain_frame_make(const struct explain_fields *fields, struct explain_frame *frame);

/**
 * Read a frame of hexadecimal digits, between whose octets blanks, colons, dots or hyphens may
 * stand.
 *
 * @param len   length of the frame; what the text does not have of it is 0. 0: that of the text
 * @param where written on failure: the index of the character that is wrong
 * @return 0; -EINVAL: it has something else, half an octet, or nothing; -ERANGE: it is longer than
 *  len, or than FCN_DRY_RUN_MAX_LEN
 */
int explain_frame_read(const char *text, uint32_t len, struct explain_frame *frame, size_t *where);

/**
 * Take a frame of a capture file (pcap or pcapng, of Ethernet). What was not captured of it is 0.
 *
 * @param number of the frame, from 1 on
 * @param err written on failure
 * @return 0 or a negative errno: -EFBIG: the frame is not in the first EXPLAIN_MAX_READ octets;
 *  -ERANGE: the file has no such frame, or it is longer than FCN_DRY_RUN_MAX_LEN; -EINVAL: it is no
 *  capture of Ethernet
 */
int explain_frame_load(const char *path, uint64_t number, struct explain_frame *frame, char *err,
		size_t err_size);

/** Greatest number of a frame in a capture file: all that come before are read. */
#define EXPLAIN_MAX_NUMBER 10000000u

/** Octets of a capture file that are read at most, up to the end of the frame: what anybody who may
 * look at the switch can make it read. */
#define EXPLAIN_MAX_READ (256u << 20)

#endif /* EXPLAIN_PRIVATE_H */

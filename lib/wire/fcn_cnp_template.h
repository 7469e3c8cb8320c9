/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * CNPs of one IP version with the same traffic class and hop limit, as a congested switch sends
 * many of: the same packets as those of fcn_cnp_build(). On CPUs with the instructions
 * (fcn_crc_fold.h), ICRC and checksums follow from the few words that differ.
 */

#ifndef FCN_CNP_TEMPLATE_H
#define FCN_CNP_TEMPLATE_H

#include <stdint.h>

#include <fcn_compat.h>

#include "fcn_cnp.h"
#include "fcn_icrc.h"

#define FCN_CNP_MAX_LEN 80 /**< that of IPv6 */

/** What is the same in all of them. Threads only read it. */
struct fcn_cnp_template {
	uint8_t packet[FCN_CNP_MAX_LEN]; /**< with zeros for what differs */
	struct fcn_cnp same;             /**< version, traffic class, hop limit */
	uint16_t folds;                  /**< CRCs are made of the words that differ */
	uint16_t len;
	uint32_t zero_crc;      /**< ICRC of the packet with zeros */
	uint32_t ip_base;       /**< one's complement sum of an IPv4 header with zeros */
	uint32_t checksum_base; /**< that of what the UDP checksum covers, ICRC without */
	/** Factors of the words: source and destination, of IPv4 both in one; UDP and BTH. */
	uint64_t src_factor[2], dst_factor[2], l4_factor[2];
};

/** What differs. Addresses have 4 or 16 bytes. */
struct fcn_cnp_fields {
	const uint8_t *src, *dst; /**< the receiver of the data; its sender */
	uint16_t src_port;        /**< UDP, host byte order */
	uint16_t p_key;           /**< host byte order */
	uint32_t dest_qp;         /**< queue pair at dst */
};

/** Initialise a template. @param version 4 or 6 */
void fcn_cnp_template_init(struct fcn_cnp_template *tmpl, const struct fcn_crc32 *crc,
		uint8_t version, uint8_t tclass, uint8_t hop_limit);

/** Build a CNP. @param buf room for tmpl->len bytes, which are all written */
void fcn_cnp_template_build(const struct fcn_cnp_template *tmpl, const struct fcn_crc32 *crc,
		const struct fcn_cnp_fields *fields, uint8_t *buf);

#endif /* FCN_CNP_TEMPLATE_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The TOS octet of an IPv4 header, which the header checksum covers.
 */

#ifndef FCN_IPV4_TOS_H
#define FCN_IPV4_TOS_H

#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_ip.h>

/** Write the TOS octet and bring the header checksum in line (RFC 1624 equation 3). */
static inline void
fcn_ipv4_set_tos(struct rte_ipv4_hdr *ip, uint8_t tos)
{
	uint32_t sum = (uint16_t)~rte_be_to_cpu_16(ip->hdr_checksum);

	sum += (uint16_t)~ip->type_of_service + tos;
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	ip->hdr_checksum = rte_cpu_to_be_16((uint16_t)~sum);
	ip->type_of_service = tos;
}

#endif /* FCN_IPV4_TOS_H */

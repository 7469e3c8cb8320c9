/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Defects of a message to the switch itself (ARP, Neighbour Discovery, ICMP, MLD). */

#ifndef FCN_MSG_ERROR_H
#define FCN_MSG_ERROR_H

enum fcn_msg_error {
	FCN_MSG_OK,           /**< valid */
	FCN_MSG_TRUNCATED,    /**< cut short */
	FCN_MSG_IP_HEADER,    /**< IP header malformed */
	FCN_MSG_IP_CHECKSUM,  /**< IPv4 header checksum wrong */
	FCN_MSG_PROTOCOL,     /**< another protocol */
	FCN_MSG_FRAGMENT,     /**< fragment */
	FCN_MSG_CHECKSUM,     /**< ICMP checksum wrong */
	FCN_MSG_TYPE,         /**< another type of message */
	FCN_MSG_CODE,         /**< code that the type does not have */
	FCN_MSG_HOP_LIMIT,    /**< hop limit that the message may not have: came through a router */
	FCN_MSG_ROUTER_ALERT, /**< no Router Alert option for MLD */
	FCN_MSG_SOURCE,       /**< source address that the message may not have */
	FCN_MSG_DESTINATION,  /**< destination address that the message may not have */
	FCN_MSG_TARGET,       /**< target address that no station has */
	FCN_MSG_SOLICITED,    /**< Solicited flag in an advertisement to a group */
	FCN_MSG_OPTION_LENGTH,  /**< option of length 0, of the wrong length, or past the message */
	FCN_MSG_OPTION_LLADDR,  /**< link-layer address of no station, or of a sender without an
				   address */
	FCN_MSG_OPTION_PREFIX,  /**< prefix longer than 128 bits */
	FCN_MSG_ARP_FORMAT,     /**< ARP for other than Ethernet and IPv4 */
	FCN_MSG_ARP_OPCODE,     /**< ARP other than request and reply */
	FCN_MSG_ARP_SENDER_MAC, /**< ARP sender's MAC address is none of a station */
	FCN_MSG_ARP_SENDER_IP,  /**< ARP sender's IP address is none of a station */
	FCN_MSG_QUOTE,          /**< quotes no Fast CNP of this switch, or not all of it */
	FCN_MSG_REPORTER, /**< about a Fast CNP, but not from the station that it was sent to */
	FCN_MSG_POINTER,  /**< about a Fast CNP, but does not point at its option */
};

#endif /* FCN_MSG_ERROR_H */

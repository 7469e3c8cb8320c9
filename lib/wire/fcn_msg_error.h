/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Defects of a message to the switch itself (ARP, Neighbour Discovery, ICMP, MLD). */

#ifndef FCN_MSG_ERROR_H
#define FCN_MSG_ERROR_H

enum fcn_msg_error {
	FCN_MSG_OK,             /**< valid */
	FCN_MSG_TRUNCATED,      /**< cut short */
	FCN_MSG_IP_HEADER,      /**< IP header malformed */
	FCN_MSG_IP_CHECKSUM,    /**< IPv4 header checksum wrong */
	FCN_MSG_PROTOCOL,       /**< another protocol */
	FCN_MSG_FRAGMENT,       /**< fragment */
	FCN_MSG_CHECKSUM,       /**< ICMP checksum wrong */
	FCN_MSG_TYPE,           /**< another type of message */
	FCN_MSG_CODE,           /**< code that the type does not have */
	FCN_MSG_HOP_LIMIT,      /**< wrong hop limit: the message has passed a router */
	FCN_MSG_ROUTER_ALERT,   /**< no Router Alert option for MLD */
	FCN_MSG_SOURCE,         /**< source address that the message may not have */
	FCN_MSG_DESTINATION,    /**< destination address that the message may not have */
	FCN_MSG_TARGET,         /**< target that cannot be the address of a station, or, in MLD,
				   a group that is not multicast */
	FCN_MSG_SOLICITED,      /**< Solicited flag in an advertisement to a group */
	FCN_MSG_OPTION_LENGTH,  /**< option of length 0, of the wrong length, or past the message */
	FCN_MSG_OPTION_LLADDR,  /**< link-layer address that no station can have, or the option in a
				   message from :: */
	FCN_MSG_OPTION_PREFIX,  /**< prefix longer than 128 bits */
	FCN_MSG_ARP_FORMAT,     /**< ARP for other protocols than Ethernet and IPv4 */
	FCN_MSG_ARP_OPCODE,     /**< ARP opcode other than request and reply */
	FCN_MSG_ARP_SENDER_MAC, /**< ARP sender's MAC address cannot be that of a station */
	FCN_MSG_ARP_SENDER_IP,  /**< ARP sender's IP address cannot be that of a station */
	FCN_MSG_QUOTE,          /**< does not quote a complete Fast CNP of this switch */
	FCN_MSG_REPORTER, /**< concerns a Fast CNP, but its source is not the station that the Fast
			     CNP was sent to */
	FCN_MSG_POINTER,  /**< concerns a Fast CNP, but the pointer is not that of its option */
};

#endif /* FCN_MSG_ERROR_H */

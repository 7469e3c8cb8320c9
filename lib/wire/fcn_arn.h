/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Adaptive Routing Notification with the parameters for precise flow control: the request of a
 * congested switch to its upstream neighbours to halt a service, a flow or a priority for some time
 * (draft-wh-rtgwg-adaptive-routing-arn, draft-hu-rtgwg-rocev2-fcn section 4.1).
 *
 * The drafts leave open the UDP port, the values of Type, Version and Metric, the order of the bits
 * in Para-Type and the unit of the time. The bits of the Para-Type octet are counted from the most
 * significant one, and the time is in microseconds.
 *
 * Pure functions over bytes: they never read past the bytes given, keep no state, and are safe from
 * any thread.
 */

#ifndef FCN_ARN_H
#define FCN_ARN_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_flow_descriptor.h"

#define FCN_ARN_VERSION 1
#define FCN_ARN_MAX_LEVEL 7    /**< highest Metric */
#define FCN_ARN_MAX_PRIORITY 7 /**< highest priority */
#define FCN_ARN_HEADER_LEN 4   /**< bytes of a message without parameters */
#define FCN_ARN_NEIGHBOURS 32  /**< maximum number of upstream neighbours of a switch */
#define FCN_ARN_HOP_LIMIT 255  /**< of the packets that fcn_arn_build() makes */
/** longest message, in bytes: header, flow, path, priority, time */
#define FCN_ARN_MAX_LEN (FCN_ARN_HEADER_LEN + FCN_FLOW_DESCRIPTOR_LEN6 + 3 * 4)
#define FCN_ARN_MAX_PACKET_LEN (40 + 8 + FCN_ARN_MAX_LEN) /**< with IPv6 and UDP headers */

/* Type */
#define FCN_ARN_CONGESTION 1
#define FCN_ARN_ENDED 2 /**< congestion has ended: what was halted resumes */

/* Para-Type: the parameters that follow, in the order of their bits */
#define FCN_ARN_FLOW 0x80     /**< bit 0: flow identifier, a struct fcn_flow_descriptor */
#define FCN_ARN_PATH 0x40     /**< bit 1: path identifier, 32 bits */
#define FCN_ARN_PRIORITY 0x20 /**< bit 2: priority, 32 bits */
#define FCN_ARN_TIME 0x10     /**< bit 3: compression time, 32 bits, microseconds */
#define FCN_ARN_KNOWN (FCN_ARN_FLOW | FCN_ARN_PATH | FCN_ARN_PRIORITY | FCN_ARN_TIME)

#define FCN_ARN_TIME_RESUME 0           /**< compression time: resume at once */
#define FCN_ARN_TIME_FOREVER UINT32_MAX /**< compression time: until told otherwise */

/*
 * X(arg, symbol, name, text): why a message is ignored. `arg` is passed on, for lists that this one
 * is a part of. The last two are found by fcn_arn_check_parameters().
 */
#define FCN_ARN_REFUSALS_FOR(X, arg)                                                           \
	X(arg, UDP_LENGTH, "arn_udp_length", "ARN: UDP length not that of the packet")         \
	X(arg, UDP_CHECKSUM, "arn_udp_checksum", "ARN: UDP checksum wrong or absent")          \
	X(arg, TRUNCATED, "arn_truncated", "ARN: cut short")                                   \
	X(arg, VERSION, "arn_version", "ARN: unknown version")                                 \
	X(arg, TYPE, "arn_type", "ARN: unknown type")                                          \
	X(arg, LEVEL, "arn_level", "ARN: metric above 7")                                      \
	X(arg, UNKNOWN_PARAMETER, "arn_unknown_parameter", "ARN: parameter that is not known") \
	X(arg, FLOW, "arn_flow", "ARN: flow identifier of an IP version other than 4 and 6")   \
	X(arg, PRIORITY, "arn_priority", "ARN: priority above 7")                              \
	X(arg, LENGTH, "arn_length", "ARN: octets behind the parameters")                      \
	X(arg, NO_FLOW, "arn_no_flow", "ARN: neither a flow identifier nor a priority")        \
	X(arg, NO_TIME, "arn_no_time", "ARN: no compression time")

/* X(symbol, name, text) */
#define FCN_ARN_REFUSALS(X) FCN_ARN_REFUSALS_FOR(FCN_ARN_REFUSAL, X)
#define FCN_ARN_REFUSAL(X, ...) X(__VA_ARGS__)

enum fcn_arn_error {
	FCN_ARN_OK,
#define FCN_ARN_ENUM(sym, name, text) FCN_ARN_BAD_##sym,
	FCN_ARN_REFUSALS(FCN_ARN_ENUM)
#undef FCN_ARN_ENUM
	FCN_ARN_ERROR_COUNT,
};

/** Short name of a reason, as used in counters and JSON; never NULL. */
const char *fcn_arn_error_name(enum fcn_arn_error e);

/** One line of text that explains a reason; never NULL. */
const char *fcn_arn_error_text(enum fcn_arn_error e);

/*
 * X(symbol, name, parameters): modes of precise flow control (draft-hu-rtgwg-rocev2-fcn section
 * 4.1.2), and what their messages contain at least.
 */
#define FCN_ARN_MODES(X)                                   \
	X(SERVICE, "service", FCN_ARN_FLOW | FCN_ARN_TIME) \
	X(FLOW, "flow", FCN_ARN_FLOW | FCN_ARN_TIME)       \
	X(PRIORITY, "priority", FCN_ARN_PRIORITY | FCN_ARN_TIME)

/** Which traffic the upstream node halts: that of a tunnel (service), of a flow, or of a class. */
enum fcn_arn_mode {
#define FCN_ARN_ENUM(sym, name, parameters) FCN_ARN_MODE_##sym,
	FCN_ARN_MODES(FCN_ARN_ENUM)
#undef FCN_ARN_ENUM
	FCN_ARN_MODE_COUNT,
};

/** A message. Numbers are in host byte order. */
struct fcn_arn {
	uint8_t type;       /**< FCN_ARN_CONGESTION or FCN_ARN_ENDED */
	uint8_t level;      /**< Metric: congestion level, 0 to 7 */
	uint8_t parameters; /**< Para-Type: which of the following there are */
	uint8_t priority;
	uint32_t path_id;
	uint32_t time_us;
	/**
	 * Mode service: outer header (fcn_arn_service()). Mode flow: inner header. The level in it
	 * is not used and 0.
	 */
	struct fcn_flow_descriptor flow;
};

/** Name of a mode in the configuration; never NULL. */
const char *fcn_arn_mode_name(enum fcn_arn_mode mode);

/** Para-Type of the messages of a mode, without a path identifier. */
uint8_t fcn_arn_mode_parameters(enum fcn_arn_mode mode);

/**
 * Check whether a message that was read has the parameters that its mode needs (fcn_arn_mode_of()).
 * Without FCN_ARN_CONGESTION it needs no time.
 *
 * @return FCN_ARN_OK; FCN_ARN_BAD_NO_FLOW: it has neither a flow identifier nor a priority;
 *         FCN_ARN_BAD_NO_TIME
 */
enum fcn_arn_error fcn_arn_check_parameters(const struct fcn_arn *arn);

/**
 * Get the mode of a message, which it does not contain: by a flow identifier with the protocol of
 * a tunnel and no ports, the service; by any other one, the flow; without one, the priority. A
 * message with neither counts as one for a flow.
 */
enum fcn_arn_mode fcn_arn_mode_of(const struct fcn_arn *arn);

/** Get the mode in which a flow identifier is meant: FCN_ARN_MODE_SERVICE or FCN_ARN_MODE_FLOW. */
enum fcn_arn_mode fcn_arn_mode_of_flow(const struct fcn_flow_descriptor *flow);

/**
 * The flow identifier of everything between the ends of an SRv6 tunnel. Its destination is the last
 * segment, because the destination address of the outer header changes along the path; the protocol
 * is 41, and the ports are 0.
 *
 * @param src  source address of the outer header, 16 bytes
 * @param last last segment of the policy, 16 bytes
 */
void fcn_arn_service(
		const uint8_t src[16], const uint8_t last[16], struct fcn_flow_descriptor *flow);

/** Whether a message says that traffic resumes: by its Type, or by a time of 0. */
static inline bool
fcn_arn_is_end(const struct fcn_arn *arn)
{
	return arn->type == FCN_ARN_ENDED ||
	       (arn->parameters & FCN_ARN_TIME && arn->time_us == FCN_ARN_TIME_RESUME);
}

/** Compression time in nanoseconds; UINT64_MAX for FCN_ARN_TIME_FOREVER. */
static inline uint64_t
fcn_arn_time_ns(const struct fcn_arn *arn)
{
	return arn->time_us == FCN_ARN_TIME_FOREVER ? UINT64_MAX : arn->time_us * UINT64_C(1000);
}

/**
 * Read a message.
 *
 * @param data what is behind the UDP header
 * @param len  bytes readable at data
 * @param arn  written when the result is FCN_ARN_OK; parameters that are not there are 0
 * @return FCN_ARN_OK, or the first reason of the list that applies. Reserved bits are ignored.
 */
enum fcn_arn_error fcn_arn_read(const uint8_t *data, uint32_t len, struct fcn_arn *arn);

/**
 * Read and validate a packet with a message. Its UDP checksum must be there and right. The caller
 * has compared the port and looks up the source in its access list.
 *
 * @param ip      the IPv6 header, with a Payload Length that was checked
 * @param udp_off offset of the UDP header from ip, at least 40
 * @param len     bytes readable at ip; those behind the Payload Length are padding
 * @param arn     as fcn_arn_read()
 * @return FCN_ARN_BAD_UDP_LENGTH; FCN_ARN_BAD_UDP_CHECKSUM; otherwise as fcn_arn_read()
 */
enum fcn_arn_error fcn_arn_parse(
		const uint8_t *ip, uint32_t udp_off, uint32_t len, struct fcn_arn *arn);

/**
 * Write a message.
 *
 * @param buf  where the Type octet goes
 * @param room bytes at buf
 * @return bytes written; 0 when room is too small, or a field has a value that fcn_arn_read() would
 *         refuse
 */
uint32_t fcn_arn_write(const struct fcn_arn *arn, uint8_t *buf, uint32_t room);

/**
 * Build an IPv6 packet with a message, DSCP 48, Not-ECT, hop limit FCN_ARN_HOP_LIMIT, with a valid
 * checksum.
 *
 * @param arn  message
 * @param src  source address, 16 bytes: the loopback of this switch
 * @param dst  destination address, 16 bytes: the loopback of an upstream neighbour
 * @param port UDP port, source and destination, host byte order
 * @param buf  where the IPv6 header goes
 * @param room bytes at buf
 * @return bytes written; 0 as with fcn_arn_write()
 */
uint32_t fcn_arn_build(const struct fcn_arn *arn, const uint8_t src[16], const uint8_t dst[16],
		uint16_t port, uint8_t *buf, uint32_t room);

#endif /* FCN_ARN_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The flow identifier that the modes service and flow of precise flow control use for a packet
 * (draft-hu-rtgwg-rocev2-fcn section 4.1.2). The congested switch writes it into its messages, and
 * the upstream switch compares it with that of its packets, so both use this function.
 *
 * Pure function over bytes, safe from any thread.
 */

#ifndef FCN_ARN_FLOW_H
#define FCN_ARN_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_arn.h"
#include "fcn_parse.h"

/**
 * Get the flow identifier of a packet.
 *
 * FCN_ARN_MODE_SERVICE: the outermost header. For an IPv6 tunnel see fcn_arn_service(): source,
 * last segment (the destination where there is no Segment Routing Header), protocol 41, no ports;
 * for an IPv4 tunnel the addresses and the protocol of that header. FCN_ARN_MODE_FLOW: the
 * innermost header: source, final destination, upper-layer protocol and ports. A packet without a
 * tunnel has the same identifier in both modes. Ports are 0 where there are none, and in all
 * fragments.
 *
 * @param data the frame
 * @param len  bytes readable at data
 * @param info result of fcn_parse() on the frame, as the headers are now
 * @param mode FCN_ARN_MODE_SERVICE or FCN_ARN_MODE_FLOW
 * @param flow written in full if the result is true; the level is 0
 * @return false: the packet is not IP, or its headers do not tell the flow
 */
bool fcn_arn_flow_of(const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		enum fcn_arn_mode mode, struct fcn_flow_descriptor *flow);

#endif /* FCN_ARN_FLOW_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Words for enumerations. */

#include "fcn_config_names.h"
#include "fcn_names.h"

FCN_NAME_FUNCTION(fcn_host_mode_name, enum fcn_host_mode, "auto", "on", "off")
FCN_NAME_FUNCTION(fcn_trust_name, enum fcn_port_trust, "dscp", "pcp", "none")
FCN_NAME_FUNCTION(fcn_capability_name, enum fcn_sender_capability, "unknown", "capable", "none")
FCN_NAME_FUNCTION(fcn_icrc_mode_name, enum fcn_icrc_mode, "skip", "cover", "norm")
FCN_NAME_FUNCTION(fcn_loop_action_name, enum fcn_loop_action, "log", "disable")
FCN_NAME_FUNCTION(fcn_storm_action_name, enum fcn_storm_action, "off", "drop", "forward")
FCN_NAME_FUNCTION(fcn_ioam_data_name, enum fcn_ioam_data, "none", "value", "link-speed", "tx-bytes")
FCN_NAME_FUNCTION(fcn_ioam_edge_name, enum fcn_ioam_edge, "off", "strip", "drop")
FCN_NAME_FUNCTION(fcn_ioam_time_name, enum fcn_ioam_time_format, "posix", "posix-ns", "ptp", "ntp")
FCN_NAME_FUNCTION(fcn_class_trust_name, enum fcn_class_trust, "auto", "on", "off")
FCN_NAME_FUNCTION(fcn_remark_name, enum fcn_remark, "off", "moved", "all")
FCN_NAME_FUNCTION(fcn_source_check_name, unsigned int, "off", "loose", "strict")
FCN_NAME_FUNCTION(fcn_border_action_name, unsigned int, "drop", "pass")
FCN_NAME_FUNCTION(fcn_proxy_edge_name,
		unsigned int, [FCN_PROXY_EDGE_OFF] = "off", [FCN_PROXY_EDGE_INSERT] = "insert",
		[FCN_PROXY_EDGE_REMOVE] = "remove", [FCN_PROXY_EDGE_BOTH] = "both")
FCN_NAME_FUNCTION(fcn_proxy_too_big_name, unsigned int, [FCN_PROXY_TOO_BIG_ERROR] = "error",
		[FCN_PROXY_TOO_BIG_OMIT] = "omit")

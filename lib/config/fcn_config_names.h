/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Words for the values of enumerations in a configuration, as commands and `show` write them. All
 * functions are safe from any thread, and return constant strings.
 */

#ifndef FCN_CONFIG_NAMES_H
#define FCN_CONFIG_NAMES_H

#include "fcn_config.h"

/* The value must be one of the enumeration. */
const char *fcn_host_mode_name(enum fcn_host_mode mode);
const char *fcn_trust_name(enum fcn_port_trust trust);
const char *fcn_capability_name(enum fcn_sender_capability capability);
const char *fcn_icrc_mode_name(enum fcn_icrc_mode mode);
const char *fcn_loop_action_name(enum fcn_loop_action action);
const char *fcn_storm_action_name(enum fcn_storm_action action);
/** Commands write the value itself instead of "value". */
const char *fcn_ioam_data_name(enum fcn_ioam_data data);
const char *fcn_ioam_edge_name(enum fcn_ioam_edge edge);
const char *fcn_class_trust_name(enum fcn_class_trust trust);
const char *fcn_remark_name(enum fcn_remark remark);
const char *fcn_source_check_name(unsigned int check);
const char *fcn_border_action_name(unsigned int action);
const char *fcn_ioam_time_name(enum fcn_ioam_time_format format);
const char *fcn_proxy_edge_name(unsigned int edge);
const char *fcn_proxy_too_big_name(unsigned int what);

#endif /* FCN_CONFIG_NAMES_H */

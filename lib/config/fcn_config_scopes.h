/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file The settings of each concern. */

#ifndef FCN_CONFIG_SCOPES_H
#define FCN_CONFIG_SCOPES_H

#include "fcn_setting.h"

/* Of the switch: the object is the configuration. */
#define FCN_SWITCH_SCOPES(X) \
	X(worker) X(buffer) X(copies) X(host) X(kernel) X(ioam) X(notify) X(sender) X(border)

/* Of ports: struct fcn_config_port. Sub-interfaces have those of interface and kernel_port, too. */
#define FCN_PORT_SCOPES(X) \
	X(port) X(interface) X(kernel_port) X(bridge_port) X(pfc) X(ioam_port) X(border_port)

/* Of class queues: struct fcn_config_queue. */
#define FCN_QUEUE_SCOPES(X) X(queue) X(queue_buffer) X(detector)

/* Of bridges, struct fcn_config_bridge; of kinds of frames that their ports flood, struct
 * fcn_config_storm; of a port's classes, struct fcn_config_pfc_class. */
#define FCN_OTHER_SCOPES(X) X(bridge) X(storm) X(pfc_class)

#define FCN_CONFIG_SCOPES(X) \
	FCN_SWITCH_SCOPES(X) FCN_PORT_SCOPES(X) FCN_QUEUE_SCOPES(X) FCN_OTHER_SCOPES(X)

#define FCN_SCOPE_DECLARE(name) extern const struct fcn_setting_scope fcn_##name##_scope;
FCN_CONFIG_SCOPES(FCN_SCOPE_DECLARE)
#undef FCN_SCOPE_DECLARE

/** For an array of pointers to scopes: FCN_SWITCH_SCOPES(FCN_SCOPE_ADDRESS). */
#define FCN_SCOPE_ADDRESS(name) &fcn_##name##_scope,

#endif /* FCN_CONFIG_SCOPES_H */

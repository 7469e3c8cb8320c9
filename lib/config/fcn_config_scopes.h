/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file The settings of each concern. */

#ifndef FCN_CONFIG_SCOPES_H
#define FCN_CONFIG_SCOPES_H

#include "fcn_setting.h"

/* Of the switch: the object is the configuration. */
extern const struct fcn_setting_scope fcn_worker_scope;
extern const struct fcn_setting_scope fcn_buffer_scope;
extern const struct fcn_setting_scope fcn_copies_scope;
extern const struct fcn_setting_scope fcn_host_scope;
extern const struct fcn_setting_scope fcn_kernel_scope;
extern const struct fcn_setting_scope fcn_ioam_scope;
extern const struct fcn_setting_scope fcn_notify_scope;
extern const struct fcn_setting_scope fcn_sender_scope;
extern const struct fcn_setting_scope fcn_border_scope;

/* Of bridges, struct fcn_config_bridge; of kinds of frames of their ports, struct
 * fcn_config_storm. */
extern const struct fcn_setting_scope fcn_bridge_scope;
extern const struct fcn_setting_scope fcn_storm_scope;

/* Of ports: struct fcn_config_port. */
extern const struct fcn_setting_scope fcn_port_scope;
extern const struct fcn_setting_scope fcn_interface_scope;   /* of sub-interfaces, too */
extern const struct fcn_setting_scope fcn_kernel_port_scope; /* of sub-interfaces, too */
extern const struct fcn_setting_scope fcn_bridge_port_scope;
extern const struct fcn_setting_scope fcn_pfc_scope;
extern const struct fcn_setting_scope fcn_ioam_port_scope;
extern const struct fcn_setting_scope fcn_border_port_scope;

/* Of class queues: struct fcn_config_queue. */
extern const struct fcn_setting_scope fcn_queue_scope;
extern const struct fcn_setting_scope fcn_queue_buffer_scope;
extern const struct fcn_setting_scope fcn_detector_scope;

/* Of a port's classes: struct fcn_config_pfc_class. */
extern const struct fcn_setting_scope fcn_pfc_class_scope;

#endif /* FCN_CONFIG_SCOPES_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file The settings of each concern. */

#ifndef FCN_CONFIG_SCOPES_H
#define FCN_CONFIG_SCOPES_H

#include "fcn_setting.h"

extern const struct fcn_setting_scope fcn_worker_scope;
extern const struct fcn_setting_scope fcn_queue_scope;        /* struct fcn_config_queue */
extern const struct fcn_setting_scope fcn_queue_buffer_scope; /* struct fcn_config_queue */
extern const struct fcn_setting_scope fcn_detector_scope;     /* struct fcn_config_queue */
extern const struct fcn_setting_scope fcn_buffer_scope;
extern const struct fcn_setting_scope fcn_copies_scope;
extern const struct fcn_setting_scope fcn_notify_scope;
extern const struct fcn_setting_scope fcn_sender_scope;

#endif /* FCN_CONFIG_SCOPES_H */

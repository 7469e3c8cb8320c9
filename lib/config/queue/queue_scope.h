/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file The scope of class queues, for the tables of settings in several folders. */

#ifndef QUEUE_SCOPE_H
#define QUEUE_SCOPE_H

#include "fcn_setting.h"

#define QUEUE_SYNTAX "set queue <port:name> class <class:class>"

/** `select` and `each` of struct fcn_setting_scope for struct fcn_config_queue. */
int queue_select(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects);
void queue_each(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg);

#endif /* QUEUE_SCOPE_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Class queues as what commands are about. */

#ifndef QUEUE_SCOPE_H
#define QUEUE_SCOPE_H

#include "fcn_setting.h"

#define QUEUE_SYNTAX "set queue <port:name> class <class:class>"

/** As struct fcn_setting_scope has them; the objects are struct fcn_config_queue. */
int queue_select(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects);
void queue_each(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg);

#endif /* QUEUE_SCOPE_H */

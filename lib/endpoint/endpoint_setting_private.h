/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions shared by the source files of the endpoint settings. Internal to lib/endpoint.
 */

#ifndef ENDPOINT_SETTING_PRIVATE_H
#define ENDPOINT_SETTING_PRIVATE_H

#include "fcn_endpoint_setting.h"

/** Run a command that was made from the table of a reaction; it has data. @return 0 or -errno */
int endpoint_setting_reaction(const struct fcn_args *args, struct fcn_endpoint_conf *conf);

#endif /* ENDPOINT_SETTING_PRIVATE_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions shared by the source files of the endpoint settings. Internal to lib/endpoint.
 */

#ifndef FCN_ENDPOINT_SETTING_PRIVATE_H
#define FCN_ENDPOINT_SETTING_PRIVATE_H

#include "fcn_endpoint_setting.h"

/** Change the reaction to congestion: a command of FCN_ENDPOINT_REACTIONS. @return 0 or -errno */
int fcn_endpoint_set_reaction(const struct fcn_args *args, struct fcn_endpoint_conf *conf);

#endif /* FCN_ENDPOINT_SETTING_PRIVATE_H */

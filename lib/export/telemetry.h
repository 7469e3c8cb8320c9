/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * /fastcn/... among DPDK's telemetry: what `show NAME json` says.
 */

#ifndef FCN_TELEMETRY_H
#define FCN_TELEMETRY_H

#include <jansson.h>
#include <rte_telemetry.h>

#include "control_rpc.h"
#include "fcn_show_list.h"

/** Bytes of JSON that telemetry sends at most; it leaves out what is behind that. */
#define FCN_TELEMETRY_MAX (16 * 1024)

/**
 * Register the commands, and have them ask at this desk. One switch a process: a second desk takes
 * the place of the first.
 *
 * @param source must stay until fcn_telemetry_close()
 * @return 0 or a negative errno
 */
int fcn_telemetry_open(struct fcn_desk *desk, const struct fcn_show_source *source);

/** Commands stay registered, DPDK cannot take them back, but say that the switch is not running. */
void fcn_telemetry_close(void);

/**
 * Write a JSON object or array as telemetry's. true and false become 1 and 0; null is left out;
 * other than whole numbers become strings; lists of other than text and numbers become objects
 * with the members "0", "1", ... A value too large for telemetry, or of a form that it does not
 * have, becomes an object with the member "error".
 *
 * @return 0 or a negative errno
 */
int fcn_telemetry_put(struct rte_tel_data *data, const json_t *value);

#endif /* FCN_TELEMETRY_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The commands of DPDK's telemetry that begin with /fastcn/. Each returns what `show NAME json`
 * prints. The functions are for the control thread; DPDK calls the commands on a thread of its own.
 */

#ifndef FCN_TELEMETRY_H
#define FCN_TELEMETRY_H

#include <jansson.h>
#include <rte_telemetry.h>

#include "control_rpc.h"
#include "fcn_show_list.h"

/** Maximum length in bytes of a reply of telemetry. DPDK truncates a longer one. */
#define FCN_TELEMETRY_MAX (16 * 1024)

/**
 * Register the commands, which reach the control thread by rpc. There is one switch in a process:
 * a second call replaces what the first one set.
 *
 * @param source what the commands read; it must exist until fcn_telemetry_close()
 * @return 0 or a negative errno
 */
int fcn_telemetry_open(struct fcn_control_rpc *rpc, const struct fcn_show_source *source);

/** Disconnect the commands. DPDK cannot unregister them; they return an error from now on. */
void fcn_telemetry_close(void);

/**
 * Convert a JSON object or array to telemetry's data. true and false become 1 and 0, null is left
 * out, and numbers that are not whole become strings. A list becomes an object with the members
 * "0", "1" and so on, unless it holds only strings or only numbers. A value that is too large for
 * telemetry, or of a form that it does not have, becomes an object with the member "error".
 *
 * @return 0 or a negative errno
 */
int fcn_telemetry_put(struct rte_tel_data *data, const json_t *value);

#endif /* FCN_TELEMETRY_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The part of the configuration about metrics over HTTP and the event log, which a live switch
 * gives to other programs. Other programs of fastcn keep it and do nothing with it.
 */

#ifndef FCN_CONFIG_EXPORTS_H
#define FCN_CONFIG_EXPORTS_H

#include <stdint.h>

#include "fcn_addr.h"

#define FCN_EXPORT_FILE_LEN 1024 /**< longest name of a file, terminator included */

/** Metrics and event log. */
struct fcn_config_exports {
	struct fcn_addr metrics; /**< address at which metrics are served; version 0: they are not
				  */
	uint16_t port; /**< TCP port of the metrics, host byte order; 0: any that is free */
	/** File to which events are written; "-": standard output; "": they are not */
	char events[FCN_EXPORT_FILE_LEN];
	uint32_t event_rate; /**< most lines of a kind of events a second; 0: any number */
};

#endif /* FCN_CONFIG_EXPORTS_H */

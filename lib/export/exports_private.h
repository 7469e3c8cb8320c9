/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The exports of a switch, for the files that they consist of.
 */

#ifndef EXPORTS_PRIVATE_H
#define EXPORTS_PRIVATE_H

#include "event_sample.h"
#include "fcn_event_line.h"
#include "fcn_exports.h"
#include "fcn_show_list.h"
#include "feed.h"
#include "status.h"

struct fcn_exports {
	struct fcn_control *ctl;
	struct fcn_show_source source;
	struct fcn_control_rpc *rpc;
	struct fcn_metrics_server *server; /* NULL: off */
	struct fcn_addr listen;            /* where the server listens */
	struct fcn_config_exports conf;    /* what is in force */
	struct fcn_event_log *log;         /* NULL: off */
	bool late_metrics, late_log;       /* they are in conf, but could not be opened yet */
	uint64_t rates_ns, epoch_ns;       /* the last sample of rates, and of the clock */
	struct fcn_event_names names;
	struct event_sample sample; /* of the log */
	struct feed feed;           /* of the page of the switch */
	struct status status;
	struct fcn_log_lines *log_lines; /* of `show log`; NULL: none */
	json_t *(*sessions)(void *arg);  /* of `show sessions`; NULL: none */
	void *sessions_arg;
	json_t *(*rollback)(void *arg); /* of `show rollback`; NULL: none */
	void *rollback_arg;
};

/** Give the functions that name what is in events. */
void exports_log_begin(struct fcn_exports *exports);
/** Close the log. Workers may have stopped already. */
void exports_log_end(struct fcn_exports *exports);
/** Measure how far the clock of the workers is from UTC, if that is due. @param now nanoseconds of
 * a clock that never goes back */
void exports_log_epoch(struct fcn_exports *exports, uint64_t now);
/** A second has passed: write how many events had no lines. */
void exports_log_second(struct fcn_exports *exports);

#endif /* EXPORTS_PRIVATE_H */

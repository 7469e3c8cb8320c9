/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What there is to see of a switch, as JSON values: programs get them as they
 * are, people as text (fcn_render_text()), so both always say the same.
 *
 * Called by the control thread; figures of a worker are read between two of
 * its turns. Every function returns a new reference, or NULL on lack of memory.
 */

#ifndef FCN_SHOW_H
#define FCN_SHOW_H

#include <jansson.h>

#include "fcn_control.h"

/** Ports: settings, traffic. @param port number, or -1 for all. */
json_t *fcn_show_ports(struct fcn_control *ctl, int port);

/**
 * Class queues: settings, traffic, congestion, watermarks. Reading starts the
 * watermarks afresh.
 *
 * @param port number, or -1 for all
 * @param all  also those that nothing went through
 */
json_t *fcn_show_queues(struct fcn_control *ctl, int port, bool all);

/** Drops by port and reason, those that happened. */
json_t *fcn_show_drops(struct fcn_control *ctl);

/** Packets with defects, by port and defect, those that happened. */
json_t *fcn_show_errors(struct fcn_control *ctl);

/** The ledger: every packet is in one of its lines. */
json_t *fcn_show_conservation(struct fcn_control *ctl);

json_t *fcn_show_bridges(struct fcn_control *ctl);
json_t *fcn_show_macs(struct fcn_control *ctl);
json_t *fcn_show_addresses(struct fcn_control *ctl);
json_t *fcn_show_neighbours(struct fcn_control *ctl);
json_t *fcn_show_routes(struct fcn_control *ctl);
json_t *fcn_show_class_map(struct fcn_control *ctl);

/** Notices: policy, and what became of packets that met congestion, by port and verdict. */
json_t *fcn_show_notify(struct fcn_control *ctl);
json_t *fcn_show_senders(struct fcn_control *ctl);

/** The flows notified most. */
json_t *fcn_show_flows(struct fcn_control *ctl, unsigned int n);

/** Traced packets: the stages they met, with what each decided. */
json_t *fcn_show_trace(struct fcn_control *ctl);

#endif /* FCN_SHOW_H */

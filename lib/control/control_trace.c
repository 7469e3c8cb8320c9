/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>

#include "control_private.h"

struct trace_arm {
	uint32_t n;
	struct fcn_trace_condition condition;
	bool has_filter;
	struct bpf_program filter;
};

/* Let a worker use the new filter and return the old one, which the control thread frees. */
static void
arm(struct fcn_worker *w, void *arg)
{
	struct trace_arm *a = arg;
	struct bpf_program old = w->trace.filter;
	bool had = w->trace.has_filter;

	fcn_trace_forget_candidates(&w->trace);
	w->trace.condition = a->condition;
	w->trace.filter = a->filter;
	w->trace.has_filter = a->has_filter;
	a->n = RTE_MIN(a->n, fcn_trace_room(&w->trace));
	w->trace.wanted = a->n;
	a->filter = old;
	a->has_filter = had;
}

int
fcn_control_trace_add(struct fcn_control *ctl, uint32_t n,
		const struct fcn_trace_condition *condition, const char *filter, char *err,
		size_t err_size)
{
	uint32_t armed = 0;

	if (fcn_control_need_workers(ctl, err, err_size) != 0)
		return -1;
	for (unsigned int i = 0; i < ctl->n_workers; i++) {
		struct trace_arm a = {.n = n, .has_filter = filter != NULL};
		int rc;

		if (condition != NULL)
			a.condition = *condition;
		if (filter != NULL &&
				fcn_control_filter_compile(filter, &a.filter, err, err_size) != 0)
			return -1;
		rc = fcn_worker_call(ctl->worker[i], arm, &a, sizeof(a));
		/* A worker that has stalled while it does this keeps both filters. */
		if (a.has_filter && rc != -EINPROGRESS)
			pcap_freecode(&a.filter);
		if (rc == 0)
			armed += a.n;
	}
	if (armed == 0) {
		snprintf(err, err_size, "%u packets are traced already: run trace clear first",
				FCN_TRACE_MAX);
		return -1;
	}
	return 0;
}

static void
clear(struct fcn_worker *w, void *arg)
{
	RTE_SET_USED(arg);
	fcn_trace_clear(w);
}

int
fcn_control_trace_clear(struct fcn_control *ctl, char *err, size_t err_size)
{
	if (fcn_control_need_workers(ctl, err, err_size) != 0)
		return -EAGAIN;
	fcn_control_call(ctl, clear, NULL, 0);
	return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* No reports, where the program is built without GnuTLS. */

#include <stdio.h>

#include "host_report.h"

struct host_report *
host_report_create(const struct host_report_conf *conf, char *err, size_t size)
{
	(void)conf;
	snprintf(err, size, "it was built without GnuTLS, so it can tell no switch");
	return NULL;
}

/* Nobody has a report, so nobody calls these. */

int
host_report_fd(const struct host_report *r)
{
	(void)r;
	return -1;
}

int
host_report_work(struct host_report *r, uint64_t now_ms)
{
	(void)r;
	(void)now_ms;
	return -1;
}

void
host_report_add(struct host_report *r, const struct host_qp *qp)
{
	(void)r;
	(void)qp;
}

void
host_report_remove(struct host_report *r, const struct host_qp *qp)
{
	(void)r;
	(void)qp;
}

void
host_report_state(const struct host_report *r, struct host_report_state *state)
{
	(void)r;
	*state = (struct host_report_state){.problem = ""};
}

void
host_report_free(struct host_report *r)
{
	(void)r;
}

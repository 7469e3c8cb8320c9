/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Of a build without libbpf or clang. */

#include <errno.h>
#include <stdio.h>

#include "qp_probe.h"

int
qp_probe_open(struct qp_probe **p, void (*event)(void *arg, const struct qp_map_event *event),
		void *arg, char *err, size_t size)
{
	(void)event;
	(void)arg;
	*p = NULL;
	snprintf(err, size, "this fastcn-host was built without BPF");
	return -ENOTSUP;
}

int
qp_probe_fd(const struct qp_probe *p)
{
	(void)p;
	return -1;
}

unsigned int
qp_probe_read(struct qp_probe *p, unsigned int most)
{
	(void)p;
	(void)most;
	return 0;
}

uint64_t
qp_probe_lost(struct qp_probe *p)
{
	(void)p;
	return 0;
}

void
qp_probe_close(struct qp_probe *p)
{
	(void)p;
}

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <bsd/string.h>

#include "kernel_platform.h"

struct kernel_log kernel_log;

static void
log_line(void *arg, const char *line)
{
	assert_ptr_equal(arg, &platform);
	if (strncmp(line, "kernel", 6) != 0)
		return;
	assert_in_range(kernel_log.n, 0, RTE_DIM(kernel_log.line) - 1);
	strlcpy(kernel_log.line[kernel_log.n++], line, sizeof(kernel_log.line[0]));
}

int
kernel_platform_setup(void **state)
{
	RTE_SET_USED(state);
	kernel_reset();
	memset(&kernel_log, 0, sizeof(kernel_log));
	return platform_setup_as(&(struct fcn_platform){.kernel = true, .log = log_line}, false);
}

int
kernel_platform_setup_without(void **state)
{
	RTE_SET_USED(state);
	kernel_reset();
	memset(&kernel_log, 0, sizeof(kernel_log));
	return platform_setup_as(&(struct fcn_platform){.log = log_line}, false);
}

int
kernel_platform_teardown(void **state)
{
	int rc;

	RTE_SET_USED(state);
	rc = platform_teardown(state);
	assert_int_equal(kernel.n_closed, kernel.n_interfaces);
	assert_int_equal(kernel.n_sockets, 0);
	assert_false(kernel.away);
	return rc;
}

unsigned int
kernel_platform_port(struct fcn_config *cfg, const char *name, const char *interface)
{
	int p = fcn_config_port_add(cfg, name);

	assert_true(p >= 0);
	if (interface != NULL)
		strlcpy(cfg->port[p].kernel, interface, sizeof(cfg->port[p].kernel));
	return (unsigned int)p;
}

void
kernel_platform_address(struct fcn_config *cfg, uint16_t port, const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, port, p), 0);
}

uint64_t
kernel_platform_poll(uint64_t now)
{
	uint64_t next = fcn_control_kernel_poll(platform.ctl, now);

	fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	return next;
}

const char *
kernel_platform_last_line(void)
{
	return kernel_log.n > 0 ? kernel_log.line[kernel_log.n - 1] : "";
}

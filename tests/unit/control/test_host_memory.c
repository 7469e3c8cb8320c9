/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The host functions without memory for what was configured: it is said, and nothing is lost.
 * Allocations fail by the linker's --wrap.
 */

#include "fcn_control_private.h"
#include "world.h"

static unsigned int n_allocated, fail_at;
static unsigned int n_lines;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *
__wrap_calloc(size_t n, size_t size)
{
	return ++n_allocated == fail_at ? NULL : __real_calloc(n, size);
}

static void
log_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	assert_string_equal(line, "host functions: out of memory; they stay as they were");
	n_lines++;
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	return world_setup(false);
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	return world_teardown();
}

static void
test_no_memory(void **state)
{
	struct fcn_config *cfg = world_edit();
	unsigned int failed = 0;

	RTE_SET_USED(state);
	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	cfg->host.mode = FCN_HOST_ON;
	world_commit(cfg);
	world.ops.log = log_line;
	do {
		n_allocated = 0;
		fail_at = failed + 1;
		fcn_control_host_configure(world.ctl);
		if (n_allocated >= fail_at)
			failed++;
		assert_int_equal(n_lines, failed);
	} while (n_allocated >= fail_at);
	assert_true(failed >= 2); /* the list of addresses, and what is made of it */
	fail_at = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
	};

	return cmocka_run_group_tests(tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}

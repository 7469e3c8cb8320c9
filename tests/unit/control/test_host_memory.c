/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Control without memory for what was configured, for what the host functions found, or for what
 * links do: it is said, nothing is lost, and it is tried again.
 * Allocations fail by the linker's --wrap.
 */

#include "control_private.h" /* its steps one by one, each without memory */
#include "host_platform.h"

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

TEST_FIXTURE(FCN_TEST_EAL, .setup = host_platform_setup, .teardown = platform_teardown);

TEST_WITH(no_memory, platform_setup_empty, platform_teardown)
{
	struct fcn_config *cfg = platform_edit();
	unsigned int failed = 0;

	assert_int_equal(fcn_config_port_add(cfg, "p0"), 0);
	cfg->host.mode = FCN_HOST_ON;
	platform_commit(cfg);
	platform.ops.log = log_line;
	do {
		n_allocated = 0;
		fail_at = failed + 1;
		fcn_control_host_configure(platform.ctl);
		if (n_allocated >= fail_at)
			failed++;
		assert_int_equal(n_lines, failed);
	} while (n_allocated >= fail_at);
	assert_true(failed >= 2); /* the list of addresses, and what is made of it */
	fail_at = 0;
}

/* Neighbour n, 2001:db8:1::<n>. */
static struct fcn_addr
neighbour(unsigned int n)
{
	struct fcn_addr addr = {.version = 6};

	memcpy(addr.bytes, host_platform_other6, sizeof(host_platform_other6));
	addr.bytes[15] = n;
	return addr;
}

/* Whether the worker knows the MAC address of a neighbour. */
static bool
is_in_force(unsigned int n)
{
	struct fcn_addr addr = neighbour(n);

	return fcn_neighbour_find(&fcn_control_snapshot(platform.ctl)->neighbours, 6, 1,
			       addr.bytes) != 0;
}

static void
log_any_line(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(line);
	n_lines++;
}

/* Neighbour n is asked for, and answers. @param fail the allocation that fails meanwhile, 0: none
 * @return whether it failed */
static bool
find(unsigned int n, unsigned int fail, uint64_t now)
{
	struct fcn_addr addr = neighbour(n);

	fcn_host_resolve(fcn_control_host(platform.ctl), 1, &addr, FCN_HOST_SELF, now);
	host_platform_turn(now);
	n_allocated = n_lines = 0;
	fail_at = fail;
	host_platform_receive_advertisement(addr.bytes, now);
	fail_at = 0;
	return n_allocated >= fail;
}

/* Whichever allocation fails, a neighbour that answers is used half a second later. */
TEST(found_again)
{
	const uint64_t again = 500 * MS;
	uint64_t now = 1000 * MS;
	unsigned int n = 1;

	platform.ops.log = log_any_line;
	for (; find(n, n, now); n++) {
		assert_false(is_in_force(n));
		assert_int_equal(n_lines, 1);
		assert_true(fcn_control_host_poll(platform.ctl, now + again - 1) <= now + again);
		assert_false(is_in_force(n));
		fcn_control_host_poll(platform.ctl, now + again);
		assert_true(is_in_force(n));
		assert_int_equal(n_lines, 1);
		now += 2 * again;
	}
	assert_true(is_in_force(n));
	assert_true(n > 3); /* the lists of neighbours and of senders, and a snapshot */
}

/* A snapshot that is made meanwhile has the neighbours that were known before. */
TEST(known_before)
{
	uint64_t now = 1000 * MS;
	unsigned int n = 1;

	platform.ops.log = log_any_line;
	find(n, 0, now);
	do {
		assert_true(is_in_force(n));
		now += 1000 * MS;
		if (!find(n + 1, n, now))
			break;
		assert_int_equal(fcn_control_refresh(platform.ctl), 0);
		assert_true(is_in_force(n));
		fcn_control_host_poll(platform.ctl, now + 500 * MS);
	} while (n++ < 1000);
	assert_true(n > 3 && n < 1000);
}

/* A link's change for which there is no memory is published as soon as there is, though nothing
 * changes any more. It is said once. */
TEST_WITH(link_again, platform_setup_ports, platform_teardown)
{
	bool down = false;
	unsigned int n = 1;

	platform.ops.log = log_any_line;
	for (;; n++) {
		uint64_t generation = fcn_control_snapshot(platform.ctl)->generation;

		down = !down;
		platform.port[0].down = down;
		n_allocated = n_lines = 0;
		fail_at = n;
		fcn_control_link_poll(platform.ctl);
		if (!platform.ctl->refresh_failed)
			break;
		for (unsigned int again = 0; again < 3; again++) {
			assert_int_equal(
					fcn_control_snapshot(platform.ctl)->generation, generation);
			assert_int_not_equal(
					fcn_control_snapshot(platform.ctl)->port[0].down, down);
			assert_int_equal(n_lines, 2); /* the link, and why it is not followed */
			n_allocated = 0;
			fcn_control_link_poll(platform.ctl);
			assert_true(n_allocated >= n);
		}
		fail_at = 0;
		fcn_control_link_poll(platform.ctl);
		assert_int_equal(fcn_control_snapshot(platform.ctl)->generation, generation + 1);
		assert_int_equal(fcn_control_snapshot(platform.ctl)->port[0].down, down);
		fcn_control_link_poll(platform.ctl);
		assert_int_equal(fcn_control_snapshot(platform.ctl)->generation, generation + 1);
		assert_int_equal(n_lines, 2);
	}
	fail_at = 0;
	assert_true(n > 1);
	assert_int_equal(fcn_control_snapshot(platform.ctl)->port[0].down, down);
}

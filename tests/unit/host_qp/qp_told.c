/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "qp_told.h"

char told[4096];
struct qp_map *map;

static void
tell(char sign, const struct host_qp *qp)
{
	const size_t n = strlen(told);

	assert_true(n < sizeof(told) - 64);
	assert_int_equal(qp->local[15], 1);
	snprintf(told + n, sizeof(told) - n, "%c%u>%u@%u ", sign, qp->local_qp, qp->remote_qp,
			qp->remote[15]);
}

static void
added(void *arg, const struct host_qp *qp)
{
	assert_ptr_equal(arg, told);
	tell('+', qp);
}

static void
removed(void *arg, const struct host_qp *qp)
{
	assert_ptr_equal(arg, told);
	tell('-', qp);
}

/* Threads below 1000 are of the process of their hundred. */
static bool
same_process(uint32_t a, uint32_t b)
{
	return a < 1000 && b < 1000 && a / 100 == b / 100;
}

int
told_begin(void **state)
{
	static const struct host_qp_ops ops = {added, removed};
	const struct qp_map_conf conf = {
			.ops = &ops, .arg = told, .most = TOLD_MOST, .same_process = same_process};

	(void)state;
	map = qp_map_create(&conf);
	told_reset();
	return map == NULL;
}

int
told_end(void **state)
{
	(void)state;
	qp_map_free(map);
	map = NULL;
	return 0;
}

void
told_reset(void)
{
	told[0] = '\0';
}

void
address(uint8_t out[16], uint8_t host)
{
	static const uint8_t net[16] = {[10] = 0xFF, 0xFF, 192, 0, 2, 0};

	memcpy(out, net, 16);
	out[15] = host;
}

void
say_qp(uint32_t qp, uint32_t remote_qp, uint8_t state, uint32_t pid)
{
	const struct rdma_nl_qp q = {.device = RXE,
			.local_qp = qp,
			.remote_qp = remote_qp,
			.has_remote = true,
			.pid = pid,
			.type = RDMA_NL_TYPE_RC,
			.state = state};

	qp_map_qp(map, &q);
}

void
say_cm_id(uint32_t qp, uint8_t host, uint32_t pid)
{
	struct rdma_nl_cm_id id = {
			.device = RXE, .local_qp = qp, .pid = pid, .has_addresses = true};

	address(id.local, 1);
	address(id.remote, host);
	qp_map_cm_id(map, &id);
}

void
event(uint32_t qp, uint32_t remote_qp, uint8_t state, uint8_t host)
{
	struct qp_map_event e = {.device = RXE,
			.local_qp = qp,
			.remote_qp = remote_qp,
			.state = state,
			.has_state = true,
			.has_remote_qp = state == RTR || host != 0,
			.has_addresses = host != 0,
			.is_roce_v2 = true};

	address(e.local, 1);
	address(e.remote, host);
	assert_int_equal(qp_map_event(map, &e), 0);
}

void
event_destroyed(uint32_t qp)
{
	const struct qp_map_event e = {.device = RXE, .local_qp = qp, .is_destroyed = true};

	assert_int_equal(qp_map_event(map, &e), 0);
}

void
begin_round(void)
{
	qp_map_begin(map);
	assert_int_equal(qp_map_device(map, RXE, "rxe0"), 0);
}

struct looking {
	uint32_t qp;
	enum host_qp_reason reason;
};

static void
look(void *arg, const struct host_qp_view *view)
{
	struct looking *l = arg;

	assert_string_equal(view->adapter, "rxe0");
	if (view->qp.local_qp == l->qp)
		l->reason = view->reason;
}

enum host_qp_reason
reason_of(uint32_t qp, bool has_probes)
{
	struct looking l = {qp, HOST_QP_REASON_COUNT};

	qp_map_walk(map, has_probes, look, &l);
	return l.reason;
}

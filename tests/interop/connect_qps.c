/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * usage: connect_qps DEVICE GID-INDEX REMOTE-GID-INDEX COUNT TURNS
 *
 * Connects COUNT pairs of RC queue pairs with each other, as programs do that exchange addresses by
 * themselves: one with the first GID, one with the second. In each of TURNS turns they are made and
 * destroyed; those of the last one stay, and each is printed, "QP REMOTE-QP GID REMOTE-GID", the
 * GIDs by their index. Then lines are read: "error N" has the Nth queue pair of that list in error,
 * "reset N" has it reset, "end" or the end of the input ends the program.
 */

#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ibv_context *device;
static struct ibv_pd *pd;
static struct ibv_cq *cq;

static void
need(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static struct ibv_qp *
make(void)
{
	struct ibv_qp_init_attr init = {.send_cq = cq,
			.recv_cq = cq,
			.qp_type = IBV_QPT_RC,
			.cap = {.max_send_wr = 1,
					.max_recv_wr = 1,
					.max_send_sge = 1,
					.max_recv_sge = 1}};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);

	need(qp != NULL, "ibv_create_qp");
	need(ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					     IBV_QP_ACCESS_FLAGS) == 0,
			"INIT");
	return qp;
}

static void
join(struct ibv_qp *qp, uint32_t remote_qp, int gid, int remote_gid)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
			.path_mtu = IBV_MTU_1024,
			.dest_qp_num = remote_qp,
			.max_dest_rd_atomic = 1,
			.min_rnr_timer = 12,
			.ah_attr = {.is_global = 1,
					.port_num = 1,
					.grh = {.hop_limit = 64, .sgid_index = (uint8_t)gid}}};

	need(ibv_query_gid(device, 1, remote_gid, &attr.ah_attr.grh.dgid) == 0, "ibv_query_gid");
	need(ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
					     IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
					     IBV_QP_MIN_RNR_TIMER) == 0,
			"RTR");
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	attr.rnr_retry = 7;
	attr.max_rd_atomic = 1;
	need(ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
					     IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC) == 0,
			"RTS");
}

static void
obey(struct ibv_qp **qp, int n)
{
	char line[64], word[16];
	int i;

	while (fgets(line, sizeof(line), stdin) != NULL && sscanf(line, "%15s %d", word, &i) == 2) {
		struct ibv_qp_attr attr = {.qp_state = strcmp(word, "reset") == 0 ? IBV_QPS_RESET
										  : IBV_QPS_ERR};

		need(i >= 0 && i < n && ibv_modify_qp(qp[i], &attr, IBV_QP_STATE) == 0, word);
		printf("done\n");
		fflush(stdout);
	}
}

int
main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int gid[2], count, turns;
	struct ibv_qp **qp;

	need(argc == 6, "usage");
	while (list != NULL && *list != NULL && strcmp(ibv_get_device_name(*list), argv[1]) != 0)
		list++;
	need(list != NULL && *list != NULL, argv[1]);
	gid[0] = atoi(argv[2]);
	gid[1] = atoi(argv[3]);
	count = 2 * atoi(argv[4]);
	turns = atoi(argv[5]);
	device = ibv_open_device(*list);
	need(device != NULL, "ibv_open_device");
	pd = ibv_alloc_pd(device);
	cq = ibv_create_cq(device, 16, NULL, NULL, 0);
	qp = calloc((size_t)count, sizeof(*qp));
	need(pd != NULL && cq != NULL && qp != NULL, "ibv_create_cq");
	for (int turn = 0; turn < turns; turn++) {
		for (int i = 0; i < count; i++) {
			if (qp[i] != NULL)
				ibv_destroy_qp(qp[i]);
			qp[i] = make();
		}
		for (int i = 0; i < count; i++)
			join(qp[i], qp[i ^ 1]->qp_num, gid[i & 1], gid[~i & 1]);
	}
	for (int i = 0; i < count; i++)
		printf("%u %u %d %d\n", qp[i]->qp_num, qp[i ^ 1]->qp_num, gid[i & 1], gid[~i & 1]);
	printf("ready\n");
	fflush(stdout);
	obey(qp, count);
	return 0;
}

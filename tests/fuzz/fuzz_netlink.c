/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: datagrams of rtnetlink, and what is kept of them. The first
 * octet says whether they answer a question; interface 1 stands for port 0.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <linux/rtnetlink.h>

#include "fcn_kernel_store.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
take_paths(const struct fcn_kernel_store *store)
{
	struct fcn_kernel_neighbour *neighbours;
	struct fcn_kernel_path *paths;
	uint64_t left_out;
	size_t n;

	if (fcn_kernel_store_paths(store, &paths, &n, &left_out) == 0) {
		for (size_t i = 0; i < n; i++) {
			if (paths[i].weight == 0 || paths[i].weight > FCN_RTNL_MAX_PATHS)
				abort();
		}
		free(paths);
	}
	if (fcn_kernel_store_neighbours(store, &neighbours, &n) == 0)
		free(neighbours);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fcn_kernel_store *store;
	struct fcn_rtnl_span body;
	struct nlmsghdr hdr;
	struct fcn_rtnl msg;
	const uint8_t *at;
	uint8_t *copy;
	size_t left;

	if (size < 1)
		return 0;
	left = size - 1;
	copy = malloc(left + 1);
	store = fcn_kernel_store_create();
	if (copy == NULL || store == NULL)
		abort();
	memcpy(copy, data + 1, left);
	fcn_kernel_store_set_table(store, RT_TABLE_MAIN);
	fcn_kernel_store_set_port(store, 0, 1);
	fcn_kernel_store_begin_sync(store);
	for (at = copy; fcn_rtnl_next(&at, &left, &hdr, &body);) {
		if (fcn_rtnl_read(&hdr, &body, &msg) == 0)
			fcn_kernel_store_apply(store, &msg, data[0] & 1);
	}
	take_paths(store);
	fcn_kernel_store_end_sync(store);
	take_paths(store);
	fcn_kernel_store_free(store);
	free(copy);
	return 0;
}

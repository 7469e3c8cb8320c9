/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Counters that drivers keep, and descriptors of the queues. */

#include <errno.h>
#include <stdlib.h>

#include <rte_string_fns.h>

#include "ethdev_impl.h"

int
ethdev_xstats(void *port, struct fcn_port_xstat *out, unsigned int n)
{
	const uint16_t id = ((const struct fcn_ethdev *)port)->port_id;
	struct rte_eth_xstat_name *names;
	struct rte_eth_xstat *values;
	int found = rte_eth_xstats_get_names(id, NULL, 0);

	if (found <= 0 || (unsigned int)found > n)
		return found;
	names = calloc(found, sizeof(*names));
	values = calloc(found, sizeof(*values));
	/* Both return more than there is room for, if there are more counters by now. */
	if (names == NULL || values == NULL ||
			rte_eth_xstats_get_names(id, names, found) != found ||
			rte_eth_xstats_get(id, values, found) != found) {
		free(names);
		free(values);
		return -EIO;
	}
	for (int i = 0; i < found; i++) {
		strlcpy(out[i].name, names[values[i].id].name, sizeof(out[i].name));
		out[i].value = values[i].value;
	}
	free(names);
	free(values);
	return found;
}

int
ethdev_descriptors(void *port, bool tx, uint16_t queue)
{
	const uint16_t id = ((const struct fcn_ethdev *)port)->port_id;
	struct rte_eth_rxq_info rx;
	struct rte_eth_txq_info info;

	if (tx)
		return rte_eth_tx_queue_info_get(id, queue, &info) == 0 ? info.nb_desc : -ENOTSUP;
	return rte_eth_rx_queue_info_get(id, queue, &rx) == 0 ? rx.nb_desc : -ENOTSUP;
}

int
ethdev_rx_waiting(void *port)
{
	const struct ethdev_rx *rx = port;
	int sum = 0;

	for (uint16_t q = rx->first; q < rx->first + rx->n; q++) {
		int n = rte_eth_rx_queue_count(rx->port_id, q);

		if (n < 0)
			return n;
		sum += n;
	}
	return sum;
}

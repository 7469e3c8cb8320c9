/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Capture files, pcap and pcapng, as the replay reads them. The low bits of the first byte choose a
 * filter, the next two the speed; the other bytes are the file.
 */

#include <sys/mman.h>
#include <unistd.h>

#include <rte_ether.h>
#include <rte_mbuf.h>

#include "replay_impl.h"
#include "fuzz_crc.h"

#define BURST 4
#define DATA_ROOM 2048 /* longer frames are chained */

static struct rte_mempool *pool;

static void
start(void)
{
	fuzz_eal();
	pool = rte_pktmbuf_pool_create(
			"fuzz", 63, 0, 0, RTE_PKTMBUF_HEADROOM + DATA_ROOM, SOCKET_ID_ANY);
	require(pool != NULL);
}

/* Records of the file as libpcap itself reads them, up to where it breaks off. */
static uint64_t
count_records(const char *path)
{
	char why[PCAP_ERRBUF_SIZE];
	struct pcap_pkthdr *hdr;
	const u_char *data;
	uint64_t n = 0;
	pcap_t *pcap = pcap_open_offline(path, why);

	require(pcap != NULL);
	while (pcap_next_ex(pcap, &hdr, &data) == 1)
		n++;
	pcap_close(pcap);
	return n;
}

/* Receive all, each frame no earlier than it arrives and none before its predecessor. */
static void
receive_all(struct fcn_replay *replay, struct fcn_replay_port *port)
{
	struct fcn_replay_stats before, after;
	struct rte_mbuf *m[BURST];
	uint64_t now = 0, next;

	while ((next = fcn_replay_next_arrival(replay)) != FCN_TIME_NEVER) {
		uint64_t bytes = 0;
		uint16_t n;

		require(next >= now && next <= REPLAY_MAX_STAMP);
		require(now == 0 || next == now ||
				fcn_replay_port_ops.rx_burst(port, m, BURST, next - 1) == 0);
		now = next;
		fcn_replay_port_stats(port, &before);
		n = fcn_replay_port_ops.rx_burst(port, m, BURST, now);
		fcn_replay_port_stats(port, &after);
		require(n > 0 && after.in_no_mbuf == 0);
		for (uint16_t i = 0; i < n; i++) {
			rte_mbuf_sanity_check(m[i], 1);
			require(m[i]->pkt_len >= RTE_ETHER_HDR_LEN &&
					m[i]->pkt_len <= FCN_REPLAY_MAX_FRAME);
			bytes += m[i]->pkt_len;
		}
		require(after.in_packets - before.in_packets == n);
		require(after.in_bytes - before.in_bytes == bytes);
		rte_pktmbuf_free_bulk(m, n);
	}
}

/* Every record is delivered, or counted under the one reason why it was not. */
static void
check_counts(const struct fcn_replay *replay, const struct fcn_replay_port *port, const char *path)
{
	uint64_t records = count_records(path), counted;
	struct fcn_replay_stats s;

	fcn_replay_port_stats(port, &s);
	counted = s.in_packets + s.in_filtered + s.in_truncated + s.in_runt + s.in_oversize;
	require(s.in_file_errors <= 1 && counted <= records);
	require((fcn_replay_error(replay, 0) != NULL) == (s.in_file_errors == 1));
	if (s.in_file_errors == 0)
		require(counted == records);
	require(rte_mempool_in_use_count(pool) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const filters[] = {NULL, "ip6 or vlan", "udp port 4791", "not ("};
	static const double speeds[] = {1, 0.001, 3, 1e9};
	char path[40], err[512] = "";
	struct fcn_replay_port *port;
	struct fcn_replay *replay;
	int fd, rc;

	if (pool == NULL)
		start();
	if (size == 0)
		return 0;
	fd = memfd_create("capture", MFD_CLOEXEC);
	require(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	replay = fcn_replay_create(speeds[data[0] >> 2 & 3]);
	require(replay != NULL);
	port = fcn_replay_port_add(replay, "p1", 10000000000, pool);
	require(port != NULL);
	rc = fcn_replay_port_input(port, path, filters[data[0] & 3], err, sizeof(err));
	require((rc != 0) == (err[0] != '\0') && strchr(err, '\n') == NULL);
	fcn_replay_begin(replay);
	receive_all(replay, port);
	if (rc == 0)
		check_counts(replay, port, path);
	fcn_replay_free(replay);
	close(fd);
	return 0;
}

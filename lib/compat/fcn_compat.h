/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Compatibility with DPDK 22.11 to 25.11: all differences of the API between these versions that
 * concern fastcn are handled here, and nowhere else.
 */

#ifndef FCN_COMPAT_H
#define FCN_COMPAT_H

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include <rte_common.h>
#include <rte_version.h>
#include <rte_fib6.h>
#include <rte_rib6.h>
#include <rte_ip.h>
#include <rte_net_crc.h>

/* Packed structures: from 25.03 the attribute stands in front. */
#ifdef __rte_packed_begin
#define FCN_PACKED_BEGIN __rte_packed_begin
#define FCN_PACKED_END __rte_packed_end
#else
#define FCN_PACKED_BEGIN
#define FCN_PACKED_END __rte_packed
#endif

/* IPv6 addresses of 16 bytes: uint8_t[16] until 24.07, struct rte_ipv6_addr from 24.11. */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
#define FCN_DPDK_IP6(bytes) ((const struct rte_ipv6_addr *)(const void *)(bytes))
#define FCN_DPDK_IP6_ARRAY(bytes) ((const struct rte_ipv6_addr *)(const void *)(bytes))
#else
#define FCN_DPDK_IP6(bytes) ((const uint8_t *)(bytes))
#define FCN_DPDK_IP6_ARRAY(bytes) ((uint8_t(*)[16])(uintptr_t)(bytes))
#endif

/*
 * CRC-32 of Ethernet. From 25.03 on, it needs a context from the heap of DPDK. Therefore the EAL
 * must be initialised before fcn_crc32_init(), and must not be cleaned up before fcn_crc32_fini();
 * the initialisation of the EAL also resets rte_vect_set_max_simd_bitwidth(), which limits the
 * choice of the algorithm. Workers call neither of these two functions. fcn_crc32() may be called
 * by any thread.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 3, 0, 0)
struct fcn_crc32 {
	struct rte_net_crc *ctx;
};

/* Choose the fastest algorithm. Returns 0, or -1 without the EAL or when memory is exhausted. */
static inline int
fcn_crc32_init(struct fcn_crc32 *crc)
{
	crc->ctx = rte_net_crc_set_alg(RTE_NET_CRC_AVX512, RTE_NET_CRC32_ETH);
	return crc->ctx == NULL ? -1 : 0;
}

static inline void
fcn_crc32_fini(struct fcn_crc32 *crc)
{
	rte_net_crc_free(crc->ctx);
	crc->ctx = NULL;
}

static inline uint32_t
fcn_crc32(const struct fcn_crc32 *crc, const void *data, uint32_t len)
{
	return rte_net_crc_calc(crc->ctx, data, len);
}
#else
struct fcn_crc32 {
	int unused;
};

/* There is one such variable in the process, because weak definitions are merged. */
extern int fcn_crc32_chosen;
__attribute__((weak)) int fcn_crc32_chosen;

/*
 * Choose the fastest algorithm, at the first call only, which must be before any worker runs: the
 * library keeps the choice in a global variable, which is NULL while it is being set.
 */
static inline int
fcn_crc32_init(struct fcn_crc32 *crc)
{
	crc->unused = 0;
	if (!__atomic_exchange_n(&fcn_crc32_chosen, 1, __ATOMIC_RELAXED))
		rte_net_crc_set_alg(RTE_NET_CRC_AVX512); /* DPDK falls back to an algorithm that the
							    CPU and the EAL support */
	return 0;
}

static inline void
fcn_crc32_fini(struct fcn_crc32 *crc)
{
	RTE_SET_USED(crc);
}

static inline uint32_t
fcn_crc32(const struct fcn_crc32 *crc, const void *data, uint32_t len)
{
	RTE_SET_USED(crc);
	return rte_net_crc_calc(data, len, RTE_NET_CRC32_ETH);
}
#endif

/*
 * Get the number of descriptors of a transmit queue that are in use, from 24.03 on; negative if the
 * library or the driver does not support it. It is a macro, so that files which do not use it need
 * not include rte_ethdev.h.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
#define fcn_eth_tx_queue_count(port, queue) rte_eth_tx_queue_count(port, queue)
#else
#define fcn_eth_tx_queue_count(port, queue) (RTE_SET_USED(port), RTE_SET_USED(queue), -ENOTSUP)
#endif

/*
 * Unsigned numbers of telemetry: u64 until 22.11, uint from 23.03. These are macros, so that files
 * which do not use them need not include rte_telemetry.h.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define FCN_TEL_UINT RTE_TEL_UINT_VAL
#define fcn_tel_add_array_uint(d, v) rte_tel_data_add_array_uint(d, v)
#define fcn_tel_add_dict_uint(d, name, v) rte_tel_data_add_dict_uint(d, name, v)
#else
#define FCN_TEL_UINT RTE_TEL_U64_VAL
#define fcn_tel_add_array_uint(d, v) rte_tel_data_add_array_u64(d, v)
#define fcn_tel_add_dict_uint(d, name, v) rte_tel_data_add_dict_u64(d, name, v)
#endif

#endif /* FCN_COMPAT_H */

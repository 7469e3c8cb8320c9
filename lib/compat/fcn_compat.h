/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * One source for DPDK 22.11 to 25.11: every difference of API that fastcn
 * meets is bridged here, and nowhere else.
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

/* IPv6 addresses: uint8_t[16] until 24.07, struct rte_ipv6_addr from 24.11. */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 11, 0, 0)
#define FCN_DPDK_IP6(bytes) ((const struct rte_ipv6_addr *)(const void *)(bytes))
#define FCN_DPDK_IP6_ARRAY(bytes) ((const struct rte_ipv6_addr *)(const void *)(bytes))
#else
#define FCN_DPDK_IP6(bytes) ((const uint8_t *)(bytes))
#define FCN_DPDK_IP6_ARRAY(bytes) ((uint8_t(*)[16])(uintptr_t)(bytes))
#endif

/*
 * CRC-32 of Ethernet: from 25.03 through a context, which comes from DPDK's
 * heap. So the EAL must be initialised before fcn_crc32_init() (it also resets
 * rte_vect_set_max_simd_bitwidth(), which the choice follows), and not be
 * cleaned up before fcn_crc32_fini(). Neither is for workers.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(25, 3, 0, 0)
struct fcn_crc32 {
	struct rte_net_crc *ctx;
};

/* Returns -1 without an EAL or memory. */
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

/* One in the process, however many files include this. */
extern int fcn_crc32_chosen;
__attribute__((weak)) int fcn_crc32_chosen;

/*
 * The first call must be before any worker runs, and is the one that chooses:
 * the library's choice is a global, which is NULL while it is made anew.
 */
static inline int
fcn_crc32_init(struct fcn_crc32 *crc)
{
	crc->unused = 0;
	if (!__atomic_exchange_n(&fcn_crc32_chosen, 1, __ATOMIC_RELAXED))
		rte_net_crc_set_alg(RTE_NET_CRC_AVX512); /* falls back by itself to what the CPU and
							    the EAL allow */
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
 * Descriptors of a transmit queue that are in use, from 24.03; negative where
 * neither the library nor the driver can tell. A macro: who does not use it needs no rte_ethdev.h.
 */
#if RTE_VERSION >= RTE_VERSION_NUM(24, 3, 0, 0)
#define fcn_eth_tx_queue_count(port, queue) rte_eth_tx_queue_count(port, queue)
#else
#define fcn_eth_tx_queue_count(port, queue) (RTE_SET_USED(port), RTE_SET_USED(queue), -ENOTSUP)
#endif

/*
 * Telemetry's unsigned numbers: u64 until 22.11, uint from 23.03. Macros: who does not use them
 * needs no rte_telemetry.h.
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

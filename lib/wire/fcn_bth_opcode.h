/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Names of the opcodes of BTH (InfiniBand Architecture Specification volume 1, table 38), and of
 * the CNP (annex A17). The functions keep no state: any thread may call them.
 */

#ifndef FCN_BTH_OPCODE_H
#define FCN_BTH_OPCODE_H

#include <stddef.h>
#include <stdint.h>

/** Operations: X(value, name). The value is the low five bits of an opcode. */
#define FCN_BTH_OPERATIONS(X)                   \
	X(0, "SEND First")                      \
	X(1, "SEND Middle")                     \
	X(2, "SEND Last")                       \
	X(3, "SEND Last with Immediate")        \
	X(4, "SEND Only")                       \
	X(5, "SEND Only with Immediate")        \
	X(6, "RDMA WRITE First")                \
	X(7, "RDMA WRITE Middle")               \
	X(8, "RDMA WRITE Last")                 \
	X(9, "RDMA WRITE Last with Immediate")  \
	X(10, "RDMA WRITE Only")                \
	X(11, "RDMA WRITE Only with Immediate") \
	X(12, "RDMA READ Request")              \
	X(13, "RDMA READ Response First")       \
	X(14, "RDMA READ Response Middle")      \
	X(15, "RDMA READ Response Last")        \
	X(16, "RDMA READ Response Only")        \
	X(17, "Acknowledge")                    \
	X(18, "ATOMIC Acknowledge")             \
	X(19, "CmpSwap")                        \
	X(20, "FetchAdd")                       \
	X(21, "RESYNC")                         \
	X(22, "SEND Last with Invalidate")      \
	X(23, "SEND Only with Invalidate")

/**
 * Transports: X(value, name, operations). The value is the high three bits of an opcode, and
 * operations the bit set of those that the transport has.
 */
#define FCN_BTH_TRANSPORTS(X)                   \
	X(FCN_BTH_TRANSPORT_RC, "RC", 0xDFFFFF) \
	X(FCN_BTH_TRANSPORT_UC, "UC", 0x000FFF) \
	X(FCN_BTH_TRANSPORT_RD, "RD", 0x3FFFFF) \
	X(FCN_BTH_TRANSPORT_UD, "UD", 0x000030) \
	X(FCN_BTH_TRANSPORT_XRC, "XRC", 0xDFFFFF)

#define FCN_BTH_OPCODE_NAME_LEN 40 /**< longest name, terminator included */

/**
 * Write the name of an opcode, such as "RC SEND First" or "CNP"; "opcode 0x1f" for one that is not
 * defined.
 *
 * @return buf
 */
const char *fcn_bth_opcode_name(uint8_t opcode, char *buf, size_t size);

#endif /* FCN_BTH_OPCODE_H */

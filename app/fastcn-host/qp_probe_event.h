/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What the programs in the kernel (qp_probe.bpf.c) and their loader (qp_probe.c) share. */

#ifndef QP_PROBE_EVENT_H
#define QP_PROBE_EVENT_H

/** Offsets of members in structures of the kernel, in octets, as the kernel's BTF has them. */
struct qp_probe_layout {
	__u32 qp_device, qp_num, qp_type, qp_sgid; /**< struct ib_qp: av_sgid_attr is a pointer */
	__u32 attr_state, attr_remote_qp, attr_remote_gid; /**< struct ib_qp_attr */
	__u32 device_index;                                /**< struct ib_device */
	__u32 sgid_gid, sgid_type;                         /**< struct ib_gid_attr */
};

/* Bits of qp_probe_event.what. */
#define QP_PROBE_STATE 1u
#define QP_PROBE_REMOTE_QP 2u
#define QP_PROBE_ADDRESSES 4u
#define QP_PROBE_DESTROYED 8u

/** A change of an RC queue pair, or what the kernel has answered about one. */
struct qp_probe_event {
	__u32 what;
	__u32 device; /**< index */
	__u32 local_qp, remote_qp;
	__u32 state;    /**< enum ib_qp_state */
	__u32 gid_type; /**< enum ib_gid_type */
	__u8 local[16], remote[16];
};

#endif /* QP_PROBE_EVENT_H */

/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Programs in the kernel that tell of RC queue pairs: when one is connected, reset or in error
 * (ib_modify_qp_with_udata() for programs, ib_modify_qp() for the kernel's own), when one is
 * destroyed (ib_destroy_qp_user()), and what a driver has answered about one (ib_query_qp(), which
 * the kernel calls for each queue pair of a netlink dump).
 *
 * The types are those of a module, and who may not do everything cannot name these to the kernel.
 * So the loader reads their layout itself, and kprobes are used, which go by the names of
 * functions.
 */

#include <linux/types.h>

#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "qp_probe_event.h"

/* Of Linux: enum ib_qp_type, ib_qp_state, ib_qp_attr_mask. */
#define TYPE_RC 2
#define STATE_RESET 0
#define STATE_RTR 2
#define STATE_SQD 4
#define STATE_ERR 6
#define MASK_STATE (1 << 0)
#define MASK_AV (1 << 7)
#define MASK_DEST_QPN (1 << 20)

/* Set by the loader. */
const volatile struct qp_probe_layout layout;

/* The arguments of a call, for its end. The oldest go where ends are missed. */
struct call {
	const char *qp, *attr;
	__u32 what;
};

/* A thread is in one call of a kind. */
struct who {
	__u64 thread;
	__u64 is_query;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, struct who);
	__type(value, struct call);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 19);
} events SEC(".maps");

/* Events for which there was no room. */
__u64 lost;

static __always_inline __u32
get_u32(const char *at)
{
	__u32 value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), at);
	return value;
}

static __always_inline const char *
get_pointer(const char *at)
{
	const char *value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), at);
	return value;
}

static __always_inline void
begin(const char *qp, const char *attr, __u32 what, __u64 is_query)
{
	const struct who who = {bpf_get_current_pid_tgid(), is_query};
	const struct call call = {qp, attr, what};

	if (bpf_map_update_elem(&calls, &who, &call, BPF_ANY))
		__sync_fetch_and_add(&lost, 1);
}

static __always_inline struct qp_probe_event *
reserve(const char *qp, __u32 what)
{
	struct qp_probe_event *e = bpf_ringbuf_reserve(&events, sizeof(*e), 0);

	if (!e) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	__builtin_memset(e, 0, sizeof(*e));
	e->what = what;
	e->device = get_u32(get_pointer(qp + layout.qp_device) + layout.device_index);
	e->local_qp = get_u32(qp + layout.qp_num);
	return e;
}

static __always_inline void
end(int rc, __u64 is_query)
{
	const struct who who = {bpf_get_current_pid_tgid(), is_query};
	struct call *p = bpf_map_lookup_elem(&calls, &who), call;
	struct qp_probe_event *e;
	const char *sgid;
	__u32 state;

	if (!p)
		return;
	call = *p;
	bpf_map_delete_elem(&calls, &who);
	if (rc)
		return;
	state = get_u32(call.attr + layout.attr_state);
	if (is_query && (state < STATE_RTR || state > STATE_SQD))
		return;
	e = reserve(call.qp, call.what);
	if (!e)
		return;
	e->state = state;
	e->remote_qp = get_u32(call.attr + layout.attr_remote_qp);
	sgid = get_pointer(call.qp + layout.qp_sgid);
	if (!sgid)
		e->what &= ~QP_PROBE_ADDRESSES;
	if (e->what & QP_PROBE_ADDRESSES) {
		bpf_probe_read_kernel(
				e->remote, sizeof(e->remote), call.attr + layout.attr_remote_gid);
		bpf_probe_read_kernel(e->local, sizeof(e->local), sgid + layout.sgid_gid);
		e->gid_type = get_u32(sgid + layout.sgid_type);
	}
	bpf_ringbuf_submit(e, 0);
}

SEC("kprobe")
int
modify_begin(struct pt_regs *ctx)
{
	const char *qp = (const char *)PT_REGS_PARM1(ctx);
	const char *attr = (const char *)PT_REGS_PARM2(ctx);
	const int mask = (int)PT_REGS_PARM3(ctx);
	__u32 what = 0, state;

	if (get_u32(qp + layout.qp_type) != TYPE_RC)
		return 0;
	state = get_u32(attr + layout.attr_state);
	if (mask & MASK_STATE && (state == STATE_RESET || state == STATE_RTR || state == STATE_ERR))
		what |= QP_PROBE_STATE;
	if (mask & MASK_AV)
		what |= QP_PROBE_ADDRESSES;
	if (mask & MASK_DEST_QPN)
		what |= QP_PROBE_REMOTE_QP;
	if (what)
		begin(qp, attr, what, 0);
	return 0;
}

SEC("kretprobe")
int
modify_end(struct pt_regs *ctx)
{
	end((int)PT_REGS_RC(ctx), 0);
	return 0;
}

SEC("kprobe")
int
query_begin(struct pt_regs *ctx)
{
	const char *qp = (const char *)PT_REGS_PARM1(ctx);

	if (get_u32(qp + layout.qp_type) == TYPE_RC)
		begin(qp, (const char *)PT_REGS_PARM2(ctx),
				QP_PROBE_STATE | QP_PROBE_REMOTE_QP | QP_PROBE_ADDRESSES, 1);
	return 0;
}

SEC("kretprobe")
int
query_end(struct pt_regs *ctx)
{
	end((int)PT_REGS_RC(ctx), 1);
	return 0;
}

/* Before its number can be another one's. */
SEC("kprobe")
int
destroy_begin(struct pt_regs *ctx)
{
	const char *qp = (const char *)PT_REGS_PARM1(ctx);
	struct qp_probe_event *e;

	if (get_u32(qp + layout.qp_type) != TYPE_RC)
		return 0;
	e = reserve(qp, QP_PROBE_DESTROYED);
	if (e)
		bpf_ringbuf_submit(e, 0);
	return 0;
}

char programs_license[] SEC("license") = "Dual BSD/GPL";

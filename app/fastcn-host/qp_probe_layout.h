/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The layout of the kernel's structures of queue pairs, as this kernel's BTF has it: that of the
 * module ib_core, or of the kernel where that has it built in. Every user may read it, but only who
 * has CAP_SYS_ADMIN may have libbpf relocate a program by that of a module.
 *
 * Thread safety: the function may be called at any time.
 */

#ifndef QP_PROBE_LAYOUT_H
#define QP_PROBE_LAYOUT_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>

#include "qp_probe_event.h"

/**
 * Read it.
 *
 * @param roce_v2 gets the value of IB_GID_TYPE_ROCE_UDP_ENCAP
 * @param err     gets what is missing
 * @return 0; -ENOENT: there is no ib_core; -ENOTSUP: no BTF, or one without a member
 */
int qp_probe_layout_read(struct qp_probe_layout *layout, uint32_t *roce_v2, char *err, size_t size);

#endif /* QP_PROBE_LAYOUT_H */

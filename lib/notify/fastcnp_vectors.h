/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the ways to build many Fast CNPs in one pass have in common. Used by the files of the kind
 * Fast CNP only.
 */

#ifndef FASTCNP_VECTORS_H
#define FASTCNP_VECTORS_H

#include "fcn_fastcnp_fold.h"
#include "notice_cnp_build.h"

/* The places in struct fcn_wire_info that are written at once. */
#define FCN_FASTCNP_INFO_FIRST 0
#define FCN_FASTCNP_INFO_SECOND 16
#define FCN_FASTCNP_INFO_REST 32

_Static_assert(offsetof(struct fcn_wire_info, l3_off) == FCN_FASTCNP_INFO_FIRST + 2 * 5 &&
				offsetof(struct fcn_wire_info, ip_len) ==
						FCN_FASTCNP_INFO_FIRST + 2 * 7 &&
				offsetof(struct fcn_wire_info, src_port) ==
						FCN_FASTCNP_INFO_SECOND + 4 &&
				offsetof(struct fcn_wire_info, dest_qp) ==
						FCN_FASTCNP_INFO_SECOND + 12 &&
				sizeof(struct fcn_wire_info) == FCN_FASTCNP_INFO_REST + 8,
		"the places of the fields in the vectors");

/** Build notices with AVX-512, as the member `build` of struct fcn_notice_kind. */
void fcn_fastcnp_build_avx512(const struct fcn_notice_cnp_conf *conf,
		const struct fcn_notice_order *order, unsigned int n);

#endif /* FASTCNP_VECTORS_H */

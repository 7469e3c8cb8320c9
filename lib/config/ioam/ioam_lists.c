/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The IOAM namespaces of which this node is part. */

#include "list_table.h"

#define THING struct fcn_ioam_namespace
static const struct fcn_list_member members[] = {
		{NUMBER("id", id, 0, UINT16_MAX, "a namespace"), KEY},
};
#undef THING

static int
compare(const void *a, const void *b)
{
	const struct fcn_ioam_namespace *x = a, *y = b;

	return x->id - y->id;
}

static const struct fcn_list lists[] = {
		{"ioam namespace", "namespace", "namespaces", FCN_IOAM_NAMESPACES,
				FCN_LIST_IN(ioam.namespaces), FCN_LIST_MEMBERS_OF(members),
				.compare = compare, .scope = &fcn_ioam_namespace_scope,
				.add_help = "Add an IOAM namespace in which this node takes part. "
					    "Namespace 0 always exists when a port has transit on",
				.remove_help = "Remove an IOAM namespace"},
};

FCN_LIST_GROUP(ioam, "IOAM", lists, OPERATE);

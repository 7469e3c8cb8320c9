/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "qp_probe_layout.h"

#include <bpf/btf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEEPEST 8 /* structures within each other */

/* Where each offset comes from; a member of a member has a dot. */
static const struct {
	size_t offset; /* in struct qp_probe_layout */
	const char *structure, *member;
} wanted[] = {
#define LAYOUT(name, structure, member)                                   \
	{                                                                 \
		offsetof(struct qp_probe_layout, name), structure, member \
	}
		LAYOUT(qp_device, "ib_qp", "device"),
		LAYOUT(qp_num, "ib_qp", "qp_num"),
		LAYOUT(qp_type, "ib_qp", "qp_type"),
		LAYOUT(qp_sgid, "ib_qp", "av_sgid_attr"),
		LAYOUT(attr_state, "ib_qp_attr", "qp_state"),
		LAYOUT(attr_remote_qp, "ib_qp_attr", "dest_qp_num"),
		LAYOUT(attr_remote_gid, "ib_qp_attr", "ah_attr.grh.dgid"),
		LAYOUT(device_index, "ib_device", "index"),
		LAYOUT(sgid_gid, "ib_gid_attr", "gid"),
		LAYOUT(sgid_type, "ib_gid_attr", "gid_type"),
#undef LAYOUT
};

static const struct btf_type *
structure_of(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t != NULL && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t != NULL && btf_is_composite(t) ? t : NULL;
}

/* Find a member by the n octets of its name, also within a member that has none. */
static bool
find_member(const struct btf *btf, const struct btf_type *t, const char *name, size_t n,
		unsigned int depth, uint32_t *bits, uint32_t *type)
{
	const struct btf_member *m = btf_members(t);

	for (unsigned int i = 0; i < btf_vlen(t); i++) {
		const char *found = btf__name_by_offset(btf, m[i].name_off);
		const uint32_t at = btf_member_bit_offset(t, i);

		if (strlen(found) == n && memcmp(found, name, n) == 0) {
			*bits += at;
			*type = m[i].type;
			return true;
		}
		if (found[0] == '\0' && depth < DEEPEST) {
			const struct btf_type *part = structure_of(btf, m[i].type);

			*bits += at;
			if (part != NULL && find_member(btf, part, name, n, depth + 1, bits, type))
				return true;
			*bits -= at;
		}
	}
	return false;
}

static bool
find_offset(const struct btf *btf, const char *structure, const char *path, uint32_t *offset)
{
	const int id = btf__find_by_name_kind(btf, structure, BTF_KIND_STRUCT);
	const struct btf_type *t = id > 0 ? structure_of(btf, (uint32_t)id) : NULL;
	uint32_t bits = 0, type = 0;

	while (t != NULL) {
		const size_t n = strcspn(path, ".");

		if (!find_member(btf, t, path, n, 0, &bits, &type))
			return false;
		if (path[n] == '\0') {
			*offset = bits / 8;
			return bits % 8 == 0;
		}
		path += n + 1;
		t = structure_of(btf, type);
	}
	return false;
}

static bool
find_value(const struct btf *btf, const char *enumeration, const char *name, uint32_t *value)
{
	const int id = btf__find_by_name_kind(btf, enumeration, BTF_KIND_ENUM);
	const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (uint32_t)id) : NULL;

	for (unsigned int i = 0; t != NULL && i < btf_vlen(t); i++) {
		const struct btf_enum *e = &btf_enum(t)[i];

		if (strcmp(btf__name_by_offset(btf, e->name_off), name) == 0) {
			*value = (uint32_t)e->val;
			return true;
		}
	}
	return false;
}

static int
read_all(const struct btf *btf, struct qp_probe_layout *layout, uint32_t *roce_v2, char *err,
		size_t size)
{
	for (unsigned int i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		uint32_t offset;

		if (!find_offset(btf, wanted[i].structure, wanted[i].member, &offset)) {
			snprintf(err, size, "this kernel's struct %s has no %s",
					wanted[i].structure, wanted[i].member);
			return -ENOTSUP;
		}
		memcpy((char *)layout + wanted[i].offset, &offset, sizeof(offset));
	}
	if (find_value(btf, "ib_gid_type", "IB_GID_TYPE_ROCE_UDP_ENCAP", roce_v2))
		return 0;
	snprintf(err, size, "this kernel has no type of GIDs for RoCEv2");
	return -ENOTSUP;
}

int
qp_probe_layout_read(struct qp_probe_layout *layout, uint32_t *roce_v2, char *err, size_t size)
{
	struct btf *kernel = btf__load_vmlinux_btf(), *module;
	int rc;

	if (kernel == NULL) {
		snprintf(err, size, "this kernel has no BTF (/sys/kernel/btf/vmlinux)");
		return -ENOTSUP;
	}
	module = btf__load_module_btf("ib_core", kernel);
	if (module != NULL || btf__find_by_name_kind(kernel, "ib_qp_attr", BTF_KIND_STRUCT) > 0) {
		rc = read_all(module != NULL ? module : kernel, layout, roce_v2, err, size);
	} else {
		snprintf(err, size, "the module ib_core is not loaded, or has no BTF");
		rc = -ENOENT;
	}
	btf__free(module);
	btf__free(kernel);
	return rc;
}

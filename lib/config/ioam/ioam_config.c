/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The IOAM namespaces of a configuration. */

#include <errno.h>
#include <string.h>

#include "fcn_config.h"

struct fcn_ioam_namespace *
fcn_config_namespace_find(struct fcn_config *cfg, uint16_t id)
{
	for (uint32_t i = 0; i < cfg->ioam.n_namespaces; i++) {
		if (cfg->ioam.ns[i].id == id)
			return &cfg->ioam.ns[i];
	}
	return NULL;
}

struct fcn_ioam_namespace *
fcn_config_namespace_add(struct fcn_config *cfg, uint16_t id, int *err)
{
	struct fcn_config_ioam *ioam = &cfg->ioam;
	uint32_t at = 0;

	if (fcn_config_namespace_find(cfg, id) != NULL) {
		*err = -EEXIST;
		return NULL;
	}
	if (ioam->n_namespaces == FCN_IOAM_NAMESPACES) {
		*err = -ENOSPC;
		return NULL;
	}
	while (at < ioam->n_namespaces && ioam->ns[at].id < id)
		at++;
	memmove(&ioam->ns[at + 1], &ioam->ns[at], (ioam->n_namespaces - at) * sizeof(ioam->ns[0]));
	ioam->n_namespaces++;
	ioam->ns[at] = (struct fcn_ioam_namespace){.id = id, .schema_id = FCN_IOAM_NO_SCHEMA};
	return &ioam->ns[at];
}

int
fcn_config_namespace_remove(struct fcn_config *cfg, uint16_t id)
{
	struct fcn_ioam_namespace *ns = fcn_config_namespace_find(cfg, id);

	if (ns == NULL)
		return -ENOENT;
	cfg->ioam.n_namespaces--;
	memmove(ns, ns + 1, (char *)&cfg->ioam.ns[cfg->ioam.n_namespaces] - (char *)ns);
	return 0;
}

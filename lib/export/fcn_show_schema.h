/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The JSON Schema (draft 2020-12) of the shows. It describes what `fastcnctl --json show NAME` and
 * /api/v1/show/NAME answer, and is made from the shapes of FCN_SHOWS.
 *
 * Within a version members are added, and none disappears or gets another type: scripts/update-docs
 * refuses anything else. So programs have to accept members that they do not know.
 */

#ifndef FCN_SHOW_SCHEMA_H
#define FCN_SHOW_SCHEMA_H

#include <stddef.h>

#include <jansson.h>

#include "fcn_show_list.h"

#define FCN_API_VERSION 1        /**< number of the version */
#define FCN_API_PREFIX "/api/v1" /**< what paths of this version begin with */

/** Write the name that the schema, and paths, have for a `show`: '_' stands for ' ' and '-'. */
void fcn_show_schema_name(const struct fcn_show *show, char *name, size_t size);

/** Make the schema. Any thread may call this. @return a new reference; NULL on lack of memory */
json_t *fcn_show_schema(void);

#endif /* FCN_SHOW_SCHEMA_H */

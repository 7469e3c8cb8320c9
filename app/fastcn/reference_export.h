/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * `fastcn reference metrics` and `fastcn reference events`: Markdown pages on
 * stdout; `fastcn reference schema`: the JSON Schema of the shows. They return
 * the exit status.
 */

#ifndef FCN_REFERENCE_EXPORT_H
#define FCN_REFERENCE_EXPORT_H

int fcn_reference_metrics(void);
int fcn_reference_events(void);
int fcn_reference_schema(void);

#endif /* FCN_REFERENCE_EXPORT_H */

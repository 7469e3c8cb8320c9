/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * JSON strings of text that may hold any bytes, such as file names and parameters of requests. A
 * JSON string has to be UTF-8 (RFC 8259 section 8.1).
 */

#ifndef FCN_JSON_TEXT_H
#define FCN_JSON_TEXT_H

#include <jansson.h>

/**
 * Make a JSON string of any text. A byte that is not part of valid UTF-8 is written as \\xHH, with
 * two hexadecimal digits.
 *
 * @param text ends with a zero byte
 * @return a new reference; NULL on lack of memory
 */
json_t *fcn_json_text(const char *text);

#endif /* FCN_JSON_TEXT_H */

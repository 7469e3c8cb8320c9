/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Strings of other origin than the console, such as file names and parameters of requests, as
 * JSON. A JSON string is UTF-8 (RFC 8259, section 8.1), and a file name may hold any bytes.
 */

#ifndef FCN_JSON_TEXT_H
#define FCN_JSON_TEXT_H

#include <jansson.h>

/**
 * A JSON string of any text. A byte that is not part of valid UTF-8 is written as \\xHH, with two
 * hexadecimal digits.
 *
 * @param text ends in a zero byte
 * @return NULL only when memory is out
 */
json_t *fcn_json_text(const char *text);

#endif /* FCN_JSON_TEXT_H */

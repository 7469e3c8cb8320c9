/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The declarations of the switch's commands, for completion and help. The build generates them.
 */

#ifndef FCN_CTL_WORDS_H
#define FCN_CTL_WORDS_H

#include "fcn_command.h"

/** All commands of the switch, and `watch`; running them does nothing. */
extern const struct fcn_command_group ctl_commands;

/** What the options of these commands are about. */
extern const struct fcn_command_option ctl_options[];
extern const size_t ctl_n_options;

#endif /* FCN_CTL_WORDS_H */

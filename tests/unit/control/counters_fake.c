/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "counters_fake.h"

struct counters_fake fake;

void
counters_fake_device(void *priv, struct fcn_port_device_stats *stats)
{
	RTE_SET_USED(priv);
	*stats = fake.device;
}

void __real_fcn_control_conservation(struct fcn_control *ctl, struct fcn_conservation *sum);
void __wrap_fcn_control_conservation(struct fcn_control *ctl, struct fcn_conservation *sum);
void
__wrap_fcn_control_conservation(struct fcn_control *ctl, struct fcn_conservation *sum)
{
	if (fake.on)
		*sum = fake.conservation;
	else
		__real_fcn_control_conservation(ctl, sum);
}

void __real_fcn_kernel_info(const struct fcn_kernel *k, struct fcn_kernel_info *info);
void __wrap_fcn_kernel_info(const struct fcn_kernel *k, struct fcn_kernel_info *info);
void
__wrap_fcn_kernel_info(const struct fcn_kernel *k, struct fcn_kernel_info *info)
{
	__real_fcn_kernel_info(k, info);
	info->netlink = fake.netlink;
	info->store = fake.store;
}

void __wrap_fcn_control_kernel_builds(
		const struct fcn_control *ctl, struct fcn_control_kernel_builds *builds);
void
__wrap_fcn_control_kernel_builds(
		const struct fcn_control *ctl, struct fcn_control_kernel_builds *builds)
{
	RTE_SET_USED(ctl);
	*builds = fake.builds;
}

void __wrap_fcn_metrics_server_stats(
		const struct fcn_metrics_server *server, struct fcn_metrics_server_stats *stats);
void
__wrap_fcn_metrics_server_stats(
		const struct fcn_metrics_server *server, struct fcn_metrics_server_stats *stats)
{
	RTE_SET_USED(server);
	*stats = fake.scrapes;
}

void __wrap_fcn_event_log_stats(struct fcn_event_log *log, struct fcn_event_log_stats *stats);
void
__wrap_fcn_event_log_stats(struct fcn_event_log *log, struct fcn_event_log_stats *stats)
{
	RTE_SET_USED(log);
	*stats = fake.lines;
}

uint64_t __wrap_fcn_host_counter(const struct fcn_host *host, enum fcn_host_counter c);
uint64_t
__wrap_fcn_host_counter(const struct fcn_host *host, enum fcn_host_counter c)
{
	RTE_SET_USED(host);
	return fake.host[c];
}

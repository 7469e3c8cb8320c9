-- SPDX-License-Identifier: BSD-3-Clause
-- Copyright (c) 2026 The fastcn authors
--
-- A table of ClickHouse for the events of many switches; doc/fleet.md has how they get there. Fields that
-- an event does not have are empty or 0; those that the table does not have are left out.

CREATE TABLE IF NOT EXISTS fastcn_events (
    time String,
    time_ns UInt64,
    switch String,
    event String,
    port String,
    class UInt8,
    occupancy UInt64,
    notice String,
    level UInt8,
    verdict String,
    sender String,
    receiver String,
    qp String,
    day Date MATERIALIZED toDate(substring(time, 1, 10))
) ENGINE = MergeTree PARTITION BY day ORDER BY (switch, event, time)

-- SPDX-License-Identifier: BSD-3-Clause
-- Copyright (c) 2026 The fastcn authors

-- Wireshark dissector of Adaptive Routing Notifications with the parameters for precise flow control
-- (draft-hu-rtgwg-rocev2-fcn section 4.1). Octets are those of doc/decisions.md.
--
--     tshark -X lua_script:scripts/wireshark/arn.lua -r FILE
--
-- The UDP port is a preference, as IANA has not assigned one: -o arn.port:1022

local arn = Proto("arn", "Adaptive Routing Notification")
arn.prefs.port = Pref.uint("UDP port", 1022, "UDP port of the notifications")

local types = {[1] = "congestion", [2] = "congestion ended"}
local f = {
	type = ProtoField.uint8("arn.type", "Type", base.DEC, types),
	version = ProtoField.uint8("arn.version", "Version", base.DEC, nil, 0xF0),
	metric = ProtoField.uint8("arn.metric", "Metric (congestion level)"),
	parameters = ProtoField.uint8("arn.parameters", "Para-Type", base.HEX),
	src4 = ProtoField.ipv4("arn.flow.src4", "Source"),
	dst4 = ProtoField.ipv4("arn.flow.dst4", "Destination"),
	src6 = ProtoField.ipv6("arn.flow.src6", "Source"),
	dst6 = ProtoField.ipv6("arn.flow.dst6", "Destination"),
	proto = ProtoField.uint8("arn.flow.proto", "Protocol"),
	sport = ProtoField.uint16("arn.flow.srcport", "Source port"),
	dport = ProtoField.uint16("arn.flow.dstport", "Destination port"),
	path = ProtoField.uint32("arn.path", "Path identifier"),
	priority = ProtoField.uint32("arn.priority", "Priority"),
	time = ProtoField.uint32("arn.time", "Compression time (us)"),
}
arn.fields = f
local malformed = ProtoExpert.new("arn.malformed", "Malformed notification", expert.group.MALFORMED, expert.severity.ERROR)
arn.experts = {malformed}

-- Add a flow identifier. Returns its length, or nil if it is malformed.
local function flow(buf, at, tree)
	if buf:len() < at + 8 then return nil end
	local v = bit.rshift(buf(at, 1):uint(), 4)
	local len = v == 4 and 16 or v == 6 and 40 or nil
	if len == nil or buf:len() < at + len then return nil end
	tree:add(f.proto, buf(at + 1, 1))
	tree:add(f.sport, buf(at + 4, 2))
	tree:add(f.dport, buf(at + 6, 2))
	if v == 4 then
		tree:add(f.src4, buf(at + 8, 4))
		tree:add(f.dst4, buf(at + 12, 4))
	else
		tree:add(f.src6, buf(at + 8, 16))
		tree:add(f.dst6, buf(at + 24, 16))
	end
	return len
end

function arn.dissector(buf, pinfo, root)
	if buf:len() < 4 then return 0 end
	local tree = root:add(arn, buf())
	local what, at = buf(3, 1):uint(), 4
	pinfo.cols.protocol = "ARN"
	pinfo.cols.info = types[buf(0, 1):uint()] or "unknown type"
	tree:add(f.type, buf(0, 1))
	tree:add(f.version, buf(1, 1))
	tree:add(f.metric, buf(2, 1))
	tree:add(f.parameters, buf(3, 1))
	if bit.band(what, 0x80) ~= 0 then
		local len = flow(buf, at, tree)
		if len == nil then
			tree:add_proto_expert_info(malformed)
			return buf:len()
		end
		at = at + len
	end
	for _, p in ipairs({{0x40, f.path}, {0x20, f.priority}, {0x10, f.time}}) do
		if bit.band(what, p[1]) ~= 0 then
			if buf:len() < at + 4 then
				tree:add_proto_expert_info(malformed)
				return buf:len()
			end
			tree:add(p[2], buf(at, 4))
			at = at + 4
		end
	end
	if bit.band(what, 0x0F) ~= 0 or at ~= buf:len() then tree:add_proto_expert_info(malformed) end
	return buf:len()
end

local ports = DissectorTable.get("udp.port")
local current = 0
function arn.prefs_changed()
	if current ~= 0 then ports:remove(current, arn) end
	current = arn.prefs.port
	if current ~= 0 then ports:add(current, arn) end
end
current = arn.prefs.port
ports:add(current, arn)

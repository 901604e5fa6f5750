-- Goes round many tokens, each in a request made beforehand, so that the generator has next to nothing to do.
-- Arguments: introspection, userinfo or authorization, the path, the Authorization header of the client, the file of tokens, and
-- where in it to begin.
local requests = {}
local at = 0

function init(args)
  local kind, path, authorization, file, first = args[1], args[2], args[3], args[4], args[5]
  for token in io.lines(file) do
    local made
    if kind == "introspection" then
      local headers = { ["Authorization"] = authorization, ["Content-Type"] = "application/x-www-form-urlencoded" }
      made = wrk.format("POST", path, headers, "token=" .. token .. "&token_type_hint=access_token")
    elseif kind == "authorization" then
      made = wrk.format("GET", path, { ["Cookie"] = "gatehouse_session=" .. token })
    else
      made = wrk.format("GET", path, { ["Authorization"] = "Bearer " .. token })
    end
    requests[#requests + 1] = made
  end
  at = tonumber(first) % #requests
end

function request()
  at = at % #requests + 1
  return requests[at]
end

function done(summary, latency)
  local errors = summary.errors
  local failed = errors.connect + errors.read + errors.write + errors.status + errors.timeout
  local line = '{"requests":%d,"seconds":%f,"failed":%d,"p50":%f,"p99":%f}\n'
  local p50, p99 = latency:percentile(50) / 1000, latency:percentile(99) / 1000
  io.write("RESULT ", line:format(summary.requests, summary.duration / 1e6, failed, p50, p99))
end

/** The same as requests.lua, for machines without wrk. Each connection goes round its own share of the tokens. */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const [url = '', connections = '', duration = '', kind = '', authorization = '', file = '', first = ''] =
  process.argv.slice(2);
const { origin, pathname, search } = new URL(url);
const path = pathname + search;
const tokens = readFileSync(file, 'utf8').trim().split('\n');
const share = Math.max(1, Math.floor(tokens.length / Number(connections)));
let next = Number(first);

const result = await autocannon({
  url: origin,
  connections: Number(connections),
  duration: Number(duration),
  setupClient: client => {
    client.setRequests(Array.from({ length: share }, () => request(tokens[next++ % tokens.length] ?? '')));
  },
});
const { latency, requests, errors } = result;
// A redirect is an answer too.
const failed = errors + requests.total - result['2xx'] - result['3xx'];
const figures = { requests: requests.total, seconds: result.duration, failed };
process.stdout.write(`RESULT ${JSON.stringify({ ...figures, p50: latency.p50, p99: latency.p99 })}\n`);

function request(token: string) {
  if (kind === 'userinfo') return { method: 'GET', path, headers: { authorization: `Bearer ${token}` } };
  if (kind === 'authorization') return { method: 'GET', path, headers: { cookie: `gatehouse_session=${token}` } };
  return {
    method: 'POST',
    path,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${token}&token_type_hint=access_token`,
  };
}

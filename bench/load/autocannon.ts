/** The same as requests.lua, for machines without wrk. Each connection goes round its own share of the tokens. */
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';

const [url = '', connections = '', duration = '', kind = '', authorization = '', file = '', first = ''] =
  process.argv.slice(2);
const { origin, pathname: path } = new URL(url);
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
const { latency, requests, errors, non2xx } = result;
const figures = { requests: requests.total, seconds: result.duration, failed: errors + non2xx };
process.stdout.write(`RESULT ${JSON.stringify({ ...figures, p50: latency.p50, p99: latency.p99 })}\n`);

function request(token: string) {
  if (kind === 'userinfo') return { method: 'GET', path, headers: { authorization: `Bearer ${token}` } };
  return {
    method: 'POST',
    path,
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: `token=${token}&token_type_hint=access_token`,
  };
}

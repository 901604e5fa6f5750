/**
 * Each connection refreshes one family after the other step: the refresh token of an answer is the one of the next
 * request. Says how busy it was itself, so that a generator at its limit is noticed.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';

const [url = '', connections = '', duration = '', authorization = '', file = '', first = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(connections) });
const tokens = readFileSync(file, 'utf8').trim().split('\n');
const latencies: number[] = [];
let failed = 0;

const began = performance.now();
const cpuBefore = process.cpuUsage();
const end = began + Number(duration) * 1000;
const starts = Array.from(
  { length: Number(connections) },
  (_, index) => tokens[(Number(first) + index) % tokens.length],
);
await Promise.all(starts.map(chain));
const seconds = (performance.now() - began) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
agent.destroy();

latencies.sort((a, b) => a - b);
const at = (part: number) => latencies[Math.floor(latencies.length * part)] ?? 0;
const busy = (user + system) / 1e6 / seconds;
const figures = { requests: latencies.length, seconds, failed, p50: at(0.5), p99: at(0.99), generatorBusy: busy };
process.stdout.write(`RESULT ${JSON.stringify(figures)}\n`);

async function chain(start: string | undefined): Promise<void> {
  let token = start;
  while (token !== undefined && performance.now() < end) {
    const sent = performance.now();
    token = nextToken(await refresh(token), token);
    latencies.push(performance.now() - sent);
  }
}

/** Undefined ends the chain: without a new refresh token and an ID token there was no rotation to count. */
function nextToken(answer: string, previous: string): string | undefined {
  const next = /"refresh_token":"([^"]+)"/.exec(answer)?.[1];
  if (next !== undefined && next !== previous && answer.includes('"id_token":"')) return next;
  failed++;
  return undefined;
}

function refresh(token: string): Promise<string> {
  const body = `grant_type=refresh_token&refresh_token=${token}`;
  const headers = {
    authorization,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': body.length,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, incoming => {
      let text = '';
      incoming.setEncoding('latin1');
      incoming.on('data', chunk => {
        text += chunk;
      });
      incoming.on('end', () => resolve(text));
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

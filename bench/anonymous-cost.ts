/**
 * `npm run bench:anonymous`: the processor time of the most expensive requests that anybody can make, beside an honest request to the same
 * address (docs/security.md). Ends with 1 if one of them takes more than 5 ms, but for password hashes and signatures.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Endpoint, made, type World } from './anonymous/case.ts';
import { endpoints } from './anonymous/cases.ts';
import { close, send } from './anonymous/request.ts';
import { median } from './measure.ts';
import { parse, positive, say } from './options.ts';
import { processorTime } from './processor.ts';

const MAX_MS = 5;
/** Fewer than the refusals of one kind that are kept in a minute. */
const BATCH = 10;
const WARM_UP = 3;

const { values } = parse({
  options: {
    batches: { type: 'string', default: '9' },
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
  },
});
const batches = positive(values.batches);

const server = fork(fileURLToPath(new URL('./anonymous/server.ts', import.meta.url)));
const [{ base, now }] = (await once(server, 'message')) as [World];
let world: World = { base, now };

interface Row {
  readonly endpoint: Endpoint;
  readonly what: string;
  readonly ms: number;
  readonly status: number;
}

const rows: Row[] = [];
for (const endpoint of endpoints.filter(({ name }) => name.includes(values.only))) {
  for (const [what, make] of Object.entries({ '': endpoint.usual, ...endpoint.dear })) {
    const { ms, status } = await measured(make);
    rows.push({ endpoint, what, ms, status });
    say(`${endpoint.name}: ${what || 'usual'}: ${ms.toFixed(2)} ms, ${status}`);
  }
}
server.disconnect();
close();
print(rows);
process.exitCode = rows.some(({ endpoint, ms }) => ms > MAX_MS && endpoint.bounded === undefined) ? 1 : 0;

async function measured(make: Endpoint['usual']): Promise<{ readonly ms: number; readonly status: number }> {
  const times: number[] = [];
  let status = 0;
  for (let batch = -WARM_UP; batch < batches; batch++) {
    server.send('minute');
    const [{ now }] = (await once(server, 'message')) as [World];
    world = { base, now };
    const sent = await made(make, world);
    const before = processorTime(server.pid ?? 0) ?? Number.NaN;
    for (let count = 0; count < BATCH; count++) status = await send(base, sent);
    const after = processorTime(server.pid ?? 0) ?? Number.NaN;
    if (batch >= 0) times.push(((after - before) * 1000) / BATCH);
  }
  return { ms: median(times), status };
}

function print(rows: readonly Row[]): void {
  const lines = ['| address | an honest request, ms | the dearest of | is | ms |', '|---|---|---|---|---|'];
  for (const [endpoint, own] of Map.groupBy(rows, row => row.endpoint)) {
    const usual = own.find(({ what }) => what === '');
    const dear = own.filter(({ what }) => what !== '').toSorted((one, other) => other.ms - one.ms);
    for (const { what, ms } of values.all ? dear : dear.slice(0, 1)) {
      const bound = endpoint.bounded === undefined ? '' : ` (${endpoint.bounded})`;
      lines.push(
        `| ${endpoint.name} | ${usual?.ms.toFixed(2)} | ${dear.length} | ${what} | ${ms.toFixed(2)}${bound} |`,
      );
    }
  }
  process.stdout.write(`${lines.join('\n')}\n`);
}

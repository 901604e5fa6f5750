/**
 * A process of its own that makes the load, on a core of its own where there is one. It is told of a job, says when its
 * connections are open, and begins when it is told to, so that only the load is measured.
 */
import { prepare } from './loop.ts';
import { compile, type RequestForm } from './request.ts';
import { openSupply, type Supply } from './supply.ts';

export interface Job {
  readonly form: RequestForm;
  readonly connections: number;
  readonly seconds: number;
  readonly most?: number;
}

export interface Figures {
  readonly requests: number;
  readonly failed: number;
  readonly complaint: string | undefined;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** At equal distances from the shortest to the longest. */
  readonly quantiles: readonly number[];
  /** Share of its core that the generator itself used. */
  readonly busy: number;
}

export type FromGenerator =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly figures: Figures }
  | { readonly kind: 'fault'; readonly message: string };

export type ToGenerator = { readonly kind: 'prepare'; readonly job: Job } | { readonly kind: 'go' };

const QUANTILES = 20;
const supplies = new Map<string, Supply>();
let go = () => {};

process.on('message', (message: ToGenerator) => {
  if (message.kind === 'go') go();
  else work(message.job).catch(error => say({ kind: 'fault', message: (error as Error).message }));
});
process.on('disconnect', () => process.exit());

async function work({ form, connections, seconds, most = Number.POSITIVE_INFINITY }: Job): Promise<void> {
  const supply = supplyFor(form);
  const loop = { url: form.url, connections, seconds, most, render: compile(form), supply };
  const { run, close } = await prepare(loop);
  try {
    const told = new Promise<void>(resolve => {
      go = resolve;
    });
    say({ kind: 'ready' });
    await told;
    const before = process.cpuUsage();
    const outcome = await run();
    const { user, system } = process.cpuUsage(before);
    const sorted = Float64Array.from(outcome.latencies).sort();
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    const { failed, complaint } = outcome;
    const busy = (user + system) / 1e6 / outcome.seconds;
    const quantiles = Array.from({ length: QUANTILES + 1 }, (_, step) => at(step / QUANTILES));
    const shares = { p50: at(0.5), p99: at(0.99), quantiles };
    const figures = { requests: sorted.length, failed, complaint, seconds: outcome.seconds, ...shares, busy };
    say({ kind: 'done', figures });
  } finally {
    close();
  }
}

/** One for each server and file: families of refresh tokens live on from one job to the next. */
function supplyFor({ url, values }: RequestForm): Supply {
  const name = `${url} ${values?.file}`;
  const supply = supplies.get(name) ?? openSupply(values);
  supplies.set(name, supply);
  return supply;
}

function say(message: FromGenerator): void {
  process.send?.(message);
}

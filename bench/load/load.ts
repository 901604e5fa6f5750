import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isOnPath, LOAD_CORE, pinned, processorTime } from '../child.ts';
import { BASIC, type Target } from '../fixture.ts';
import type { Options } from '../options.ts';

export type Work = 'introspection' | 'userinfo' | 'refresh' | 'authorization';

export interface Sample {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Share of one core that the server used; near 1 means that the server was the limit, not the load. */
  readonly serverBusy: number | undefined;
  readonly generatorBusy: number | undefined;
}

interface Figures {
  readonly requests: number;
  readonly seconds: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly generatorBusy?: number;
}

export const generator = isOnPath('wrk') ? 'wrk' : 'autocannon';

export type LoadOptions = Pick<Options, 'seconds' | 'connections'>;

/** Loads one server with one kind of work. A single failed request spoils the figure and ends the benchmark. */
export async function load(target: Target, work: Work, options: LoadOptions, first: number): Promise<Sample> {
  const before = processorTime(target.pid);
  const figures = await run(commandFor(target, work, options, first));
  const after = processorTime(target.pid);
  if (figures.failed > 0) throw new Error(`${target.name}: ${figures.failed} requests of ${work} failed`);
  const used = before === undefined || after === undefined ? undefined : after - before;
  return {
    perSecond: figures.requests / figures.seconds,
    p50: figures.p50,
    p99: figures.p99,
    serverBusy: used === undefined ? undefined : used / figures.seconds,
    generatorBusy: figures.generatorBusy,
  };
}

function commandFor(target: Target, work: Work, options: LoadOptions, first: number): readonly [string, string[]] {
  const connections = String(options.connections);
  const seconds = String(options.seconds);
  const from = String(first);
  if (work === 'refresh') {
    return node('refresh.ts', target.token, connections, seconds, BASIC, target.refreshTokens, from);
  }
  const url = target[work];
  const file = work === 'authorization' ? target.sessions : target.accessTokens;
  if (generator === 'autocannon') {
    return node('autocannon.ts', url, connections, seconds, work, BASIC, file, from);
  }
  const { origin, pathname, search } = new URL(url);
  const settings = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-s', beside('requests.lua')];
  return pinned(LOAD_CORE, 'wrk', [...settings, origin, '--', work, pathname + search, BASIC, file, from]);
}

function node(script: string, ...args: string[]): readonly [string, string[]] {
  return pinned(LOAD_CORE, process.execPath, [beside(script), ...args]);
}

function beside(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

async function run([program, args]: readonly [string, string[]]): Promise<Figures> {
  const { stdout } = await promisify(execFile)(program, args);
  const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (result === undefined) throw new Error(`no result from ${program}:\n${stdout}`);
  return JSON.parse(result);
}

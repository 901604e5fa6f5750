import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { startServer } from '../../src/assembly/serve.ts';
import { type Env, type Ran, withoutWaiting } from '../build/command.ts';
import { testOverrides } from '../build/test-server.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type { Env, Ran };

/** `gatehouse`, without the shell in between. */
export const PROGRAM = `${ROOT}src/gatehouse.ts`;

/** The environment of the tests, without settings of ours that might be in it. */
function environment(env: Env): NodeJS.ProcessEnv {
  const settings =
    /^(GATEHOUSE_.*|PORT|HOST|BASE_URL|DATABASE_URL|DATABASE_LISTEN_URL|DATABASE_TIMEOUT|DOCS_URL|TRUSTED_PROXIES|LOG_LEVEL)$/;
  const rest = Object.entries(process.env).filter(([name]) => !settings.test(name));
  return { ...Object.fromEntries(rest), ...env };
}

export async function run(...program: Parameters<typeof runSaying>): Promise<Ran> {
  const ran = await runSaying(...program);
  return { ...ran, err: withoutWaiting(ran.err) };
}

/** The same, with what it says while it waits for the database. */
export async function runSaying(command: string, args: readonly string[], env: Env = {}, cwd = ROOT): Promise<Ran> {
  const child = spawn(command, args, { cwd, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.on('data', chunk => {
    out += chunk;
  });
  child.stderr.on('data', chunk => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, out, err };
}

/** A server that a test has started: in a process group of its own, so that nothing of it is left behind, or in this process. */
export interface Started {
  /** What it has printed so far. */
  output(): string;
  /** Waits until it has printed this. */
  printed(text: string): Promise<void>;
  /** Sends SIGTERM, as a supervisor does, or another signal, and waits for the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** The exit code, when it comes to that. */
  readonly ended: Promise<number | null>;
  /** Kills what is left of it. */
  destroy(): unknown;
}

export interface StartedProcess extends Started {
  readonly pid: number;
}

/** `npm start`, as the README has it. */
export const npmStart = (env: Env, cwd = ROOT): StartedProcess => start('npm', ['start', '--silent'], env, cwd);

/** The process behind `npm start`, without npm and the shell in between. */
export const nodeStart = (env: Env): StartedProcess => start(process.execPath, ['src/main.ts'], env);

/** The command `gatehouse` of the package. */
export const commandStart = (args: readonly string[], env: Env): StartedProcess => start('bin/gatehouse', args, env);

/**
 * The server of `npm start` inside this process: a tenth of the work of a process. For what it does, not for how it starts, and not for
 * workers or one that waits for its database.
 */
export function startInProcess(env: Env): Started {
  const host = new EventEmitter();
  const { promise: ended, resolve: exit } = Promise.withResolvers<number>();
  const { add, ...output } = watchedOutput(ended);
  const stream = () =>
    new Writable({
      decodeStrings: false,
      write(part, _encoding, onWritten) {
        add(part);
        onWritten();
      },
    });
  const on = (signal: string, handle: () => void) => host.on(signal, handle);
  const overrides = testOverrides(env.DATABASE_URL ?? '');
  const starting = startServer({ env, stdout: stream(), stderr: stream(), overrides, on, exit });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    await starting;
    host.emit(signal);
    return ended;
  };
  return { ...output, stop, ended: starting.then(() => ended), destroy: stop };
}

export function start(command: string, args: readonly string[], env: Env, cwd = ROOT): StartedProcess {
  const child = spawn(command, args, {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const { add, ...output } = watchedOutput(ended);
  for (const stream of [child.stdout, child.stderr]) stream.on('data', add);
  return {
    ...output,
    pid: child.pid ?? 0,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
    ended,
    destroy: () => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // Nothing is left.
      }
    },
  };
}

function watchedOutput(ended: Promise<number | null>) {
  let output = '';
  const news = new Set<() => void>();
  const add = (chunk: unknown) => {
    output += chunk;
    for (const look of news) look();
  };
  const printed = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!output.includes(text)) return;
        news.delete(look);
        resolve();
      };
      news.add(look);
      look();
      // Its last output may arrive shortly after its end.
      void ended.then(code =>
        setTimeout(() => reject(new Error(`ended with ${code} before it printed ${text}:\n${output}`)), 500).unref(),
      );
    });
  return { add, output: () => output, printed };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Env, Ran } from '../build/command.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type { Env, Ran };

/** `gatehouse`, without the shell in between. */
export const PROGRAM = `${ROOT}src/cli/gatehouse.ts`;

/** The environment of the tests, without settings of ours that might be in it. */
function environment(env: Env): NodeJS.ProcessEnv {
  const settings =
    /^(GATEHOUSE_.*|PORT|HOST|BASE_URL|DATABASE_URL|DATABASE_LISTEN_URL|DATABASE_TIMEOUT|DOCS_URL|TRUSTED_PROXIES|LOG_LEVEL)$/;
  const rest = Object.entries(process.env).filter(([name]) => !settings.test(name));
  return { ...Object.fromEntries(rest), ...env };
}

export async function run(command: string, args: readonly string[], env: Env = {}, cwd = ROOT): Promise<Ran> {
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

/** A server in a process group of its own, so that nothing of it is left behind. */
export interface Started {
  readonly pid: number;
  /** What it has printed so far. */
  output(): string;
  /** Waits until it has printed this. */
  printed(text: string): Promise<void>;
  /** Sends SIGTERM, as a supervisor does, or another signal, and waits for the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** The exit code, when it comes to that. */
  readonly ended: Promise<number | null>;
  /** Kills what is left of the process group. */
  destroy(): void;
}

/** `npm start`, as the README has it. */
export const npmStart = (env: Env, cwd = ROOT): Started => start('npm', ['start', '--silent'], env, cwd);

/** The process behind `npm start`, without npm and the shell in between. */
export const nodeStart = (env: Env): Started => start(process.execPath, ['src/main.ts'], env);

/** The command `gatehouse` of the package. */
export const commandStart = (args: readonly string[], env: Env): Started => start('bin/gatehouse', args, env);

export function start(command: string, args: readonly string[], env: Env, cwd = ROOT): Started {
  const child = spawn(command, args, {
    cwd,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const news = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk;
      for (const look of news) look();
    });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return {
    pid: child.pid ?? 0,
    output: () => output,
    printed: text =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (!output.includes(text)) return;
          news.delete(look);
          resolve();
        };
        news.add(look);
        look();
        // Its last output may arrive shortly after its end.
        void ended.then(code =>
          setTimeout(() => reject(new Error(`ended with ${code} before it printed ${text}:\n${output}`)), 500),
        );
      }),
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

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { runCommand as runProgram } from '../../src/assembly/commands.ts';
import type { Capability } from '../../src/capability.ts';
import type { Overrides } from '../../src/services.ts';
import { databaseSettings } from './database-settings.ts';
import { TEST_SECRET, type TestServer, testOverrides } from './test-server.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export type Env = Readonly<Record<string, string>>;

const PROGRAM = fileURLToPath(new URL('../../src/gatehouse.ts', import.meta.url));

/** What somebody types who reads this on the terminal. */
type Typist = (printed: string, typeText: (text: string) => void) => void;

interface CommandOptions extends Overrides {
  /** The text of its standard input. */
  readonly stdin?: string;
  /** Which of its outputs are a terminal. */
  readonly terminal?: readonly ('stdout' | 'stderr')[];
  /** Somebody at the terminal: called with all that was printed, in the turn in which it was. */
  readonly type?: Typist;
  readonly now?: () => number;
  /** Instead of those of capabilities.ts. */
  readonly declared?: readonly Capability[];
}

/**
 * `gatehouse <args>` inside this process, with the exit code that the program would have. A test of a signal, a terminal or a pipe
 * needs the program itself: `run` and `start` of test/assembly/run.ts, or `gatehouseOnTerminal`.
 */
export async function runCommand(args: readonly string[], env: Env = {}, options: CommandOptions = {}): Promise<Ran> {
  const { stdin = '', terminal = [], type, now = () => performance.now(), declared, ...overrides } = options;
  const keyboard = type && Object.assign(new Readable({ read: () => {} }), { isTTY: true });
  const stdout = collector(terminal.includes('stdout'));
  const stderr = collector(terminal.includes('stderr'), printed => type?.(printed, text => keyboard?.push(text)));
  const context = {
    env,
    stdin: keyboard ?? Readable.from([Buffer.from(stdin)]),
    stdout,
    stderr,
    now,
    overrides: { ...testOverrides(env.DATABASE_URL ?? ''), ...overrides },
  };
  const code = await runProgram(args, context, declared && (async () => declared));
  return { code, out: stdout.text(), err: withoutWaiting(stderr.text()) };
}

function collector(isTTY: boolean, onPrinted?: (printed: string) => void) {
  let collected = '';
  const stream = new Writable({
    decodeStrings: false,
    write(part, _encoding, onWritten) {
      collected += part;
      onPrinted?.(collected);
      onWritten();
    },
  });
  return Object.assign(stream, { isTTY, text: () => collected });
}

/** A command says so after a second, which a busy machine may take for a database that is there. */
export function withoutWaiting(err: string): string {
  return err.replace(/^.*waiting for the database: .*\n/gm, '');
}

/** What a command needs in its environment to use the store of a server. */
export function commandSettings(server: TestServer): Env {
  return {
    ...databaseSettings(server.services.config.database.url),
    BASE_URL: server.base,
    GATEHOUSE_SECRET: TEST_SECRET,
  };
}

/** `gatehouse <args>` on the store of a running server. */
export function gatehouse(server: TestServer, ...args: string[]): Promise<Ran> {
  return runCommand(args, commandSettings(server));
}

/** The same, with this text as its standard input. */
export function gatehouseReading(server: TestServer, stdin: string, ...args: string[]): Promise<Ran> {
  return runCommand(args, commandSettings(server), { stdin });
}

/** A process of its own on a terminal, that of script(1). What it prints is in `out`. The shell reads `>` and `<` of the arguments. */
export async function gatehouseOnTerminal(server: TestServer, type: Typist, ...args: string[]): Promise<Ran> {
  const command = [process.execPath, PROGRAM, ...args]
    .map(part => (part === '>' || part === '<' ? part : `'${part}'`))
    .join(' ');
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', ...commandSettings(server) },
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', part => {
    out += part;
    type(out, text => child.stdin.write(text));
  });
  // script(1) waits for the end of its input, too.
  child.stdout.on('end', () => child.stdin.end());
  const [code] = await once(child, 'close');
  return { code, out, err: '' };
}

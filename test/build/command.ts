import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { databaseSettings } from './database-settings.ts';
import { TEST_SECRET, type TestServer } from './test-server.ts';

/** `gatehouse <args>` as an operator runs it: a process of its own, on the store of a running server. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const PROGRAM = fileURLToPath(new URL('../../src/cli/gatehouse.ts', import.meta.url));

export function gatehouse(server: TestServer, ...args: string[]): Promise<Ran> {
  return run(server, process.execPath, [PROGRAM, ...args]);
}

/** The same, with this text as its standard input. */
export function gatehouseReading(server: TestServer, input: string, ...args: string[]): Promise<Ran> {
  return run(server, process.execPath, [PROGRAM, ...args], child => child.stdin.end(input));
}

/** The same on a terminal, that of script(1). What it prints is in `out`. The shell reads `>` and `<` of the arguments. */
export function gatehouseOnTerminal(
  server: TestServer,
  type: (printed: string, typeText: (text: string) => void) => void,
  ...args: string[]
): Promise<Ran> {
  const command = [process.execPath, PROGRAM, ...args]
    .map(part => (part === '>' || part === '<' ? part : `'${part}'`))
    .join(' ');
  return run(server, 'script', ['-qec', command, '/dev/null'], child => {
    let printed = '';
    child.stdout.on('data', part => {
      printed += part;
      type(printed, text => child.stdin.write(text));
    });
    // script(1) waits for the end of its input, too.
    child.stdout.on('end', () => child.stdin.end());
  });
}

function run(
  server: TestServer,
  program: string,
  args: readonly string[],
  talk: (child: ChildProcessWithoutNullStreams) => void = child => child.stdin.end(),
): Promise<Ran> {
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...(program === process.execPath ? {} : { PATH: process.env.PATH, TERM: 'xterm' }),
      ...databaseSettings(server.services.config.database.url),
      BASE_URL: server.base,
      GATEHOUSE_SECRET: TEST_SECRET,
    },
  });
  talk(child);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', part => {
    out += part;
  });
  child.stderr.setEncoding('utf8').on('data', part => {
    err += part;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    // A command says so after a second, which a busy machine may take for a database that is there.
    child.on('close', code => resolve({ code, out, err: err.replace(/^.*waiting for the database: .*\n/gm, '') }));
  });
}

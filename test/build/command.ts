import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TEST_SECRET, type TestServer } from './test-server.ts';

/** `gatehouse <args>` as an operator runs it: a process of its own, on the store of a running server. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const PROGRAM = fileURLToPath(new URL('../../src/cli/gatehouse.ts', import.meta.url));

export function gatehouse(server: TestServer, ...args: string[]): Promise<Ran> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      DATABASE_URL: server.services.config.database.url,
      BASE_URL: server.base,
      GATEHOUSE_SECRET: TEST_SECRET,
    },
  });
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
    child.on('close', code => resolve({ code, out, err }));
  });
}

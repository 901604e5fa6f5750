import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { afterEach } from 'node:test';
import { runCommand } from '../build/command.ts';
import { until } from '../build/until.ts';
import { nodeStart, type Started } from './run.ts';
import { useStart } from './start-fixture.ts';

export const WORKERS = 3;
export const ALICE = { username: 'alice', password: 'correct horse battery staple' };
export const APPLICATION = {
  applications: [
    {
      code: 'shop',
      name: 'Shop',
      clients: [
        {
          client_id: 'web',
          client_secret: 'web-secret-1',
          redirect_uris: ['https://client.example/cb'],
          grant_types: ['authorization_code', 'refresh_token', 'password'],
        },
      ],
    },
  ],
  users: [ALICE],
};

/** As useStart, for a server with several workers. */
export function useWorkers() {
  const several = { GATEHOUSE_WORKERS: String(WORKERS), GATEHOUSE_DEMO: 'false' };
  const one = useStart();
  const launch = (over: Record<string, string> = {}) => one.launch({ ...several, ...over }, nodeStart);
  const start = (over: Record<string, string> = {}) => one.start({ ...several, ...over }, nodeStart);
  const callers: Caller[] = [];
  afterEach(() => {
    for (const caller of callers.splice(0)) caller.hangUp();
  });

  const apply = async (file: object) => {
    const name = one.folder.file('apply.json');
    writeFileSync(name, JSON.stringify(file));
    const ran = await runCommand(['apply', name], one.env);
    assert.equal(ran.code, 0, ran.err);
  };
  const calling = () => {
    const caller = new Caller(one.port);
    callers.push(caller);
    return caller;
  };
  /** An idle worker accepts the next connection: with a few at a time, soon each worker has one. */
  const oneAtEach = async () => {
    const found = new Map<string, Caller>();
    for (let round = 0; round < 60 && found.size < WORKERS; round++) {
      const some = Array.from({ length: 6 }, calling);
      const heard = await Promise.all(some.map(caller => caller.get('/healthz')));
      for (const [index, { process }] of heard.entries()) found.set(process, some[index] as Caller);
    }
    assert.equal(found.size, WORKERS, `only ${found.size} processes answer`);
    return [...found.values()];
  };
  return {
    get folder() {
      return one.folder;
    },
    get port() {
      return one.port;
    },
    launch,
    start,
    apply,
    calling,
    oneAtEach,
  };
}

interface Heard {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly json: any;
  /** The part of X-Request-Id that is the same for all answers of a process. */
  readonly process: string;
}

/** A client with one connection, which it keeps: all its requests reach the same worker. */
export class Caller {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #port: number;

  constructor(port: number) {
    this.#port = port;
  }

  get = (path: string, headers: Record<string, string> = {}) => this.#send('GET', path, headers, '');
  token = (fields: Record<string, string>) => this.#form('token', fields, basic('web', 'web-secret-1'));
  introspect = (token: string, authorization = basic('web', 'web-secret-1')) =>
    this.#form('introspect', { token }, authorization);

  hangUp(): void {
    this.#agent.destroy();
  }

  #form(name: string, fields: Record<string, string>, authorization: string): Promise<Heard> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization };
    return this.#send('POST', `/api/v1/authorize/shop/oauth2/${name}`, headers, new URLSearchParams(fields).toString());
  }

  #send(method: string, path: string, headers: Record<string, string>, body: string): Promise<Heard> {
    return new Promise((resolve, reject) => {
      const asked = request(
        { agent: this.#agent, host: '127.0.0.1', port: this.#port, method, path, headers },
        async answer => {
          try {
            const text = (await answer.toArray()).join('');
            const json = answer.headers['content-type'] === 'application/json' ? JSON.parse(text) : undefined;
            const process = String(answer.headers['x-request-id']).split('-')[0] ?? '';
            resolve({ status: answer.statusCode ?? 0, text, json, process });
          } catch (error) {
            reject(error);
          }
        },
      );
      asked.on('error', reject).end(body);
    });
  }
}

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** Of every worker that came up so far, oldest first. */
export function pidsIn(server: Started): number[] {
  return [...server.output().matchAll(/"event":"worker.started","pid":(\d+)/g)].map(([, pid]) => Number(pid));
}

/** A zombie, whose parent has not read its exit code, is not alive. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export async function eventually(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  await until(what, holds);
}

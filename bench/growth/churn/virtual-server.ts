import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { freePort, startServer } from '../../child.ts';
import {
  APP,
  authorizationUrl,
  type Endpoints,
  standardRequests,
  type Target,
  type ValueFiles,
} from '../../fixture.ts';
import { GATEHOUSE, gatehouseEnv } from '../../servers/gatehouse.ts';
import { type Place, ROOT } from '../../servers/place.ts';
import type { FromVirtual, Housekeeping, Question } from '../../servers/virtual-time.ts';

/** The parent's side of bench/servers/virtual-time.ts. */
export class VirtualServer {
  readonly pid: number;
  readonly endpoints: Endpoints;
  readonly stop: () => Promise<void>;
  readonly #child: ChildProcess;
  readonly #open = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  #questions = 0;

  private constructor(child: ChildProcess, pid: number, stop: () => Promise<void>, port: number) {
    this.pid = pid;
    this.stop = stop;
    this.#child = child;
    const issuer = `http://127.0.0.1:${port}/api/v1/authorize/${APP}/oauth2`;
    this.endpoints = {
      introspection: `${issuer}/introspect`,
      userinfo: `${issuer}/userinfo`,
      token: `${issuer}/token`,
      authorization: authorizationUrl(`${issuer}/auth`),
      discovery: `${issuer}/.well-known/openid-configuration`,
      jwks: `${issuer}/jwks`,
    };
    child.on('message', (message: FromVirtual) => this.#heard(message));
  }

  /** `now`: what its clock shows. */
  static async start(place: Place, databaseUrl: string, now: number): Promise<VirtualServer> {
    const port = await freePort();
    const env = { ...gatehouseEnv(place), DATABASE_URL: databaseUrl, PORT: String(port) };
    const args = ['bench/servers/virtual-time.ts', String(now)];
    const { child, pid, stop } = startServer({ args, env, cwd: ROOT, ipc: true });
    await once(child, 'message');
    return new VirtualServer(child, pid, stop, port);
  }

  passMinute(): Promise<Housekeeping> {
    return this.#ask({ kind: 'minute' });
  }

  come(people: number): Promise<string[]> {
    return this.#ask({ kind: 'come', people });
  }

  go(cookies: readonly string[]): Promise<void> {
    return this.#ask({ kind: 'go', cookies });
  }

  /** For the load, with tokens from these files; every family of refresh tokens in turn. */
  targetWith(files: ValueFiles, database: Pick<Target, 'database'>): Target {
    const { introspection, refresh } = standardRequests(this.endpoints, files);
    const inTurn = { ...refresh, values: { ...refresh.values, use: 'chains' } } as const;
    return { name: GATEHOUSE, pid: this.pid, ...database, requests: { introspection, refresh: inTurn } };
  }

  #ask<T>(question: Question): Promise<T> {
    const id = this.#questions++;
    return new Promise<T>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
      this.#child.send({ id, question });
    });
  }

  #heard(message: FromVirtual): void {
    if (message.kind === 'fault') {
      for (const { reject } of this.#open.values()) reject(new Error(message.message));
    } else if (message.kind === 'answer') {
      this.#open.get(message.id)?.resolve(message.value as never);
      this.#open.delete(message.id);
    }
  }
}

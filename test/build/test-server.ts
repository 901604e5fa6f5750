import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/free-port.ts';
import { memoryFolder } from '../../scripts/memory-folder.ts';
import { createHttpServer } from '../../src/assembly/server.ts';
import { buildServices } from '../../src/assembly/services.ts';
import { listenForTls } from '../../src/assembly/serving.ts';
import { duplicates } from '../../src/operators/apply/apply-file.ts';
import { applyFileSchema } from '../../src/operators/apply/file-schema.ts';
import { planChanges } from '../../src/operators/apply/plan.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { createConcurrencyLimit, nodeEventLoop } from '../../src/platform/http/concurrency-limit.ts';
import { createLog } from '../../src/platform/observe/log.ts';
import type { Overrides, Services } from '../../src/services.ts';
import { databaseSettings } from './database-settings.ts';
import {
  type ApplicationInput,
  type AttributeInput,
  anApplication,
  aUser,
  type ClientInput,
  type ProviderInput,
  type UserInput,
} from './fixture.ts';
import { keyPairsFor } from './key-pairs.ts';
import { createMigratedDatabase } from './postgres.ts';
import { writeMigratedFile } from './sqlite.ts';
import { firstInSuite, suitePart } from './suite-part.ts';
import { wholeEntries } from './whole-entries.ts';

/**
 * test/build/ has what tests are built from. This file starts the server under test; fixture.ts has the applications, clients and
 * users it is provisioned with; client.ts sends requests as a client does, visitor.ts and people.ts as a browser does;
 * delivered.ts reads what the client gets back. The others are real parts beside the server: PostgreSQL, nginx, commands, a clock.
 */

/** A listening server on its own empty store, provisioned as the test needs it. */
export interface TestServer {
  readonly base: string;
  readonly services: Services;
  /** Everything the server logged, at level debug. */
  readonly logged: () => string;
  /** The issuer of an application. */
  at(app?: string): string;
  provision(file: Provisioned): Promise<void>;
  close(): Promise<void>;
}

/** What a client or a visitor has to know of a server. */
export type ServerAddress = Pick<TestServer, 'base' | 'at'>;

export interface Provisioned {
  /** The shop, which is the only application then: its clients, if it has nothing else, or its fields. */
  readonly clients?: readonly ClientInput[];
  readonly shop?: Partial<ApplicationInput>;
  readonly providers?: readonly ProviderInput[];
  readonly user_attributes?: readonly AttributeInput[];
  readonly applications?: readonly ApplicationInput[];
  readonly users?: readonly UserInput[];
}

export interface TestServerOptions extends Provisioned, Overrides {
  readonly env?: Readonly<Record<string, string>>;
  /** That of the run (TEST_STORE), unless a test is about both. */
  readonly store?: 'SQLite' | 'PostgreSQL';
  /** `localhost` where browsers need a domain name, for passkeys. */
  readonly hostname?: 'localhost' | '127.0.0.1';
  /** The parts of applications (GATEHOUSE_CITUS_SPREAD), on any store. */
  readonly spread?: Readonly<Record<string, number>>;
  /** Hashes passwords as every server does: for tests of their form, of their time, and of the queue before them. */
  readonly isPasswordCostReal?: boolean;
  /** Rejects requests in an overload as every server does. Others are patient: a test may run on a machine that stands still for seconds. */
  readonly isOverloadReal?: boolean;
}

export const TEST_SECRET = 'a secret for tests and for nothing else';

/** A hash of the real cost takes longer than all else that a request does. */
const CHEAP = { memoryKib: 64, passes: 1 };

/** Seconds. */
const PATIENT = { DATABASE_TIMEOUT: '60', GATEHOUSE_OUTBOUND_TIMEOUT: '60' };

/** For a suite whose peer never answers: it waits for its end, and nothing else does. */
export const IMPATIENT = { GATEHOUSE_OUTBOUND_TIMEOUT: '0.5' };

/** By a clock that stands still no queue is ever long. */
const patientLimit = () => createConcurrencyLimit({ ...nodeEventLoop, now: () => 0 });

/** What servers and commands of tests do cheaper than those of an operator. */
export function testOverrides(database: string) {
  return { generateKeyPair: keyPairsFor(database), passwordCost: CHEAP };
}

export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const { users = [aUser()], user_attributes, hostname = '127.0.0.1' } = options;
  const applications = applicationsOf(options) ?? [anApplication()];
  const folder = mkdtempSync(join(memoryFolder(), 'gatehouse-test-'));
  const database = options.env?.DATABASE_URL === undefined ? await emptyDatabase(folder, options.store) : undefined;
  const port = await freePort();
  const base = `http://${hostname}:${port}`;
  const read = readConfig({
    PORT: String(port),
    BASE_URL: base,
    GATEHOUSE_SECRET: TEST_SECRET,
    LOG_LEVEL: 'debug',
    ...PATIENT,
    ...options.env,
    // Those of a test of its own way to the database stay as they are.
    ...(options.env?.DATABASE_LISTEN_URL === undefined &&
      databaseSettings(options.env?.DATABASE_URL ?? database?.url ?? '')),
  });
  assert(read.kind === 'valid', read.kind === 'faulty' ? read.faults.join('; ') : '');
  const config = options.spread ? { ...read.config, spread: new Map(Object.entries(options.spread)) } : read.config;
  let log = '';
  const { generateKeyPair, passwordCost } = testOverrides(config.database.url);
  const services = await buildServices(
    config,
    createLog('debug', false, line => {
      log += line;
    }),
    { generateKeyPair, ...(!options.isPasswordCostReal && { passwordCost }), ...options },
  );
  const server = createHttpServer(services, undefined, options.isOverloadReal ? undefined : patientLimit());
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  const tlsServer = await listenForTls(services, server);
  const provision = (file: Provisioned) => provisionInto(services, file);
  await provision({ applications, users, ...(user_attributes && { user_attributes }) });
  return {
    base,
    services,
    logged: () => log,
    at: (app = 'shop') => `${base}/api/v1/authorize/${app}/oauth2`,
    provision,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      await new Promise(resolve => tlsServer?.close(resolve) ?? resolve(undefined));
      await services.refusals.close();
      services.providerConnections.close();
      await services.recorder.drain().catch(() => {});
      await services.store.close();
      await database?.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A server for the suite that this is called in, or for the file: it starts before their tests, and ends after them. `started` is what
 * else they need of it.
 */
export function suiteServer(
  options: TestServerOptions | (() => TestServerOptions) = {},
  started?: () => Promise<unknown>,
): TestServer {
  const server = suitePart(() => startTestServer(typeof options === 'function' ? options() : options));
  if (started) firstInSuite(started);
  return server;
}

/** On SQLite; on PostgreSQL if the run has TEST_STORE=postgres. */
export async function emptyDatabase(
  folder: string,
  store: TestServerOptions['store'] = process.env.TEST_STORE === 'postgres' ? 'PostgreSQL' : 'SQLite',
): Promise<{ readonly url: string; drop(): Promise<void> }> {
  if (store === 'PostgreSQL') return createMigratedDatabase();
  const path = join(folder, 'gatehouse.db');
  await writeMigratedFile(path);
  return { url: `sqlite:${path}`, drop: async () => {} };
}

function applicationsOf({ clients, shop = clients && { clients }, applications }: Provisioned) {
  return shop ? [anApplication(shop)] : applications;
}

async function provisionInto(services: Services, file: Provisioned): Promise<void> {
  const { clients: _, shop: __, ...others } = file;
  const applications = applicationsOf(file);
  const whole = { ...others, ...(applications && { applications }) };
  // As POST /apply reads it: the YAML parser takes longer than all else here.
  const read = applyFileSchema(await services.tables.fields()).parse(JSON.parse(JSON.stringify(wholeEntries(whole))));
  assert.deepEqual(duplicates(read, new Set()), []);
  await withoutParts(services, read.applications);
  const { changes, faults } = await planChanges(services, read);
  assert.deepEqual(faults, []);
  assert.deepEqual(await services.store.provision(changes), { kind: 'done' });
  await services.registry.refresh();
}

/** An entry of a file adds to the APIs and policies that are there; a test says which there are. */
async function withoutParts({ store }: Services, applications: readonly { readonly code: string }[]): Promise<void> {
  for (const { code } of applications) {
    const present = await store.findStoredApplication(code);
    if (!present?.application.apis?.length || present.deletedAt !== undefined) continue;
    const application = { ...present.application, apis: [], token_exchange: [] };
    assert.deepEqual(await store.provision([{ kind: 'application', application }]), { kind: 'done' });
  }
}

import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openPostgresStore } from '../../src/assembly/store.postgres.ts';
import { openSqliteStore } from '../../src/assembly/store.sqlite.ts';
import { sealEvents } from '../../src/audit/events/maintain.ts';
import { newEvent } from '../../src/audit/events/new-event.ts';
import type { Event } from '../../src/audit/events/rules.ts';
import { type Verification, type VerifyOptions, verifyEvents } from '../../src/audit/events/verify.ts';
import { createKeyRing, type KeyRing } from '../../src/platform/crypto/key-ring.ts';
import { systemRandom } from '../../src/platform/crypto/random.ts';
import type { Store } from '../../src/store.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { type FixedClock, fixedClock } from './clock.ts';
import { createDatabase } from './postgres.ts';

/** A store with events, and the hands of somebody who can write to its database but has no secret. */
export interface ChainStore {
  readonly store: Store;
  readonly clock: FixedClock;
  readonly url: string;
  another(): Promise<Store>;
  /** Any SQL, past the store. */
  tamper(sql: string): Promise<void>;
  record(count: number, over?: Partial<Event>): Promise<Event[]>;
  seal(limit?: number): Promise<number>;
  verify(options?: VerifyOptions): Promise<Verification>;
  /** With other secrets, newest first, from now on. */
  withSecrets(...secrets: string[]): void;
  ring(): KeyRing;
  discard(): Promise<void>;
}

export const SECRET = 'the first secret of a test of the chain';
export const OTHER_SECRET = 'the second secret of a test of the chain';
export const stores = ['SQLite', 'PostgreSQL'] as const;

export async function aChainStore(kind: (typeof stores)[number]): Promise<ChainStore> {
  const database = kind === 'SQLite' ? sqlite() : await postgres();
  const opened: Store[] = [];
  const another = async () => {
    const store = await database.open();
    opened.push(store);
    return store;
  };
  const store = await another();
  const clock = fixedClock();
  let ring = createKeyRing([SECRET], systemRandom);
  return {
    store,
    clock,
    url: database.url,
    another,
    tamper: database.tamper,
    async record(count, over = {}) {
      const events = Array.from({ length: count }, (_, index) =>
        newEvent({ clock, random: systemRandom }, {
          ...{ type: 'user.login.succeeded', outcome: 'success', actor: { kind: 'user', id: 'sub-1' } },
          ...{ subject: 'sub-1', app: 'shop', clientId: 'web', address: '192.0.2.1', userAgent: 'Browser/1.0' },
          ...{ requestId: `req-${index}`, details: { amr: ['pwd'] } },
          ...over,
        } as Event),
      );
      await store.recordEvents(events);
      return events;
    },
    async seal(limit = 100) {
      const outcome = await sealEvents({ store, ring }, limit);
      assert(outcome.kind === 'done', outcome.kind === 'broken' ? outcome.reason : '');
      return outcome.count;
    },
    verify: options => verifyEvents({ store, ring, clock }, options),
    withSecrets: (...secrets) => {
      ring = createKeyRing(secrets, systemRandom);
    },
    ring: () => ring,
    async discard() {
      await Promise.all(opened.map(each => each.close()));
      await database.discard();
    },
  };
}

function sqlite() {
  const folder = temporaryFolder();
  const path = folder.file('gatehouse.db');
  return {
    url: `sqlite:${path}`,
    open: async () => openSqliteStore(path),
    tamper: async (sql: string) => {
      const connection = new DatabaseSync(path, { timeout: 5000 });
      connection.exec(sql);
      connection.close();
      // Reads of one turn of the event loop share a snapshot.
      await nextTurn();
    },
    discard: async () => folder.remove(),
  };
}

async function postgres() {
  const database = await createDatabase();
  return {
    url: database.url,
    open: () => openPostgresStore(database.address),
    tamper: async (sql: string) => {
      await database.query(sql);
    },
    discard: () => database.drop(),
  };
}

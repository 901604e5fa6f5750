import type { Client } from '../../directory/clients/rules.ts';
import { BoundedCache } from '../../platform/bounded-cache.ts';
import { sql } from '../../platform/store/sql.ts';
import type { Services } from '../../services.ts';
import type { Actor } from '../token-exchange/rules.ts';
import { fromPairwise, isPairwise, type SectorKeys, sectorKeys, sectorOf, toPairwise } from './rules.ts';

/** Who a login is of. */
interface Named {
  readonly sub: string;
  /** The subject is a client, which is no secret. */
  readonly isOfClient?: boolean;
  readonly sid?: string | undefined;
  readonly act?: Actor | undefined;
}

/** The subjects that clients see. */
export interface Subjects {
  /** With the subject, session and actors that a pairwise client sees. For any other client the same again. */
  shownTo<Login extends Named>(app: string, client: Client | undefined, login: Login): Promise<Login>;
  /** The way back, for what a client says about a user. Undefined: it names nobody. */
  meantBy<Login extends Named>(app: string, client: Client | undefined, named: Login): Promise<Login | undefined>;
}

const SALT_BYTES = 32;
const MAX_CACHED_SECTORS = 1000;

export function createSubjects({ store, random, registry }: Pick<Services, 'store' | 'random' | 'registry'>): Subjects {
  const cache = new BoundedCache<string, Promise<SectorKeys>>(MAX_CACHED_SECTORS);
  // A salt goes with its application; a later one of the same code has another.
  registry.onChange(() => cache.clear());
  const saltOf = async (app: string): Promise<Uint8Array> => {
    const find = async () => (await store.cold.read(sql`SELECT salt FROM pairwise_salts WHERE app = ${app}`))[0]?.salt;
    const found = await find();
    if (found) return found as Uint8Array;
    // Another node may be first.
    const made = random.bytes(SALT_BYTES);
    await store.cold.write(sql`INSERT INTO pairwise_salts (app, salt) VALUES (${app}, ${made}) ON CONFLICT DO NOTHING`);
    return (await find()) as Uint8Array;
  };
  const keysFor = (app: string, client: Client): Promise<SectorKeys> => {
    // A client whose addresses changed since is a sector of its own.
    const sector = sectorOf(client) ?? `client ${client.client_id}`;
    const name = `${app}\0${sector}`;
    let keys = cache.get(name);
    if (!keys) {
      keys = saltOf(app).then(salt => sectorKeys(salt, sector));
      cache.set(name, keys);
      keys.catch(() => cache.delete(name));
    }
    return keys;
  };

  return {
    async shownTo(app, client, login) {
      if (!isPairwise(client)) return login;
      const keys = await keysFor(app, client);
      const { sid, act } = login;
      return {
        ...login,
        sub: login.isOfClient ? login.sub : toPairwise(keys, login.sub),
        ...(sid !== undefined && { sid: toPairwise(keys, sid) }),
        ...(act && { act: shownActor(keys, act) }),
      };
    },
    async meantBy(app, client, named) {
      if (!isPairwise(client)) return named;
      const keys = await keysFor(app, client);
      const sub = fromPairwise(keys, named.sub);
      if (sub === undefined) return undefined;
      return { ...named, sub, ...(named.sid !== undefined && { sid: fromPairwise(keys, named.sid) }) };
    },
  };
}

/** A client that acts for itself keeps its name. */
function shownActor(keys: SectorKeys, { sub, client_id, act }: Actor): Actor {
  const shown = sub === client_id ? sub : toPairwise(keys, sub);
  return { sub: shown, client_id, ...(act && { act: shownActor(keys, act) }) };
}

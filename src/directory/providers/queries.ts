import { actOnce } from '../../audit/acts/queries.ts';
import type { Row } from '../../platform/store/row.ts';
import { BYTEWISE, type Query, sql } from '../../platform/store/sql.ts';
import { type ColdDatabase, rowsOf, runAll, type Steps } from '../../platform/store/steps.ts';
import { settingsFromRow } from '../applications/rows.store.ts';
import type { Provider, ProviderSettings } from './rules.ts';
import type { ProviderFacts, Providers } from './store.ts';

export function coldProviders(db: ColdDatabase): Providers {
  return {
    listProviders: async () => (await db.read(SELECT)).map(toProvider),
    changeProvider: (id, decide) =>
      actOnce(db, {
        lock: db.own.lockRegistry,
        *work() {
          const { result, write } = decide(yield* factsOf(id));
          if (write) {
            yield* runAll(write.value ? [putProvider(write.value)] : removeProvider(id));
            yield* db.own.registryChanged();
          }
          return { result, act: write?.act };
        },
      }),
  };
}

const SELECT = sql`SELECT id, settings, sealed_secrets FROM providers ORDER BY id ${BYTEWISE}`;

export function providerRow(id: string): Query {
  return sql`SELECT id, settings, sealed_secrets FROM providers WHERE id = ${id}`;
}

function* factsOf(id: string): Steps<ProviderFacts> {
  const all = (yield* rowsOf(SELECT)).map(toProvider);
  return { current: all.find(each => each.id === id), count: all.length, offeredBy: yield* applicationsOffering(id) };
}

/** The pattern finds those that may: their lists are compared here. One that is deleted offers nothing, and comes back without what is gone. */
export function* applicationsOffering(id: string): Steps<readonly string[]> {
  const rows = yield* rowsOf(
    sql`SELECT code, name, settings FROM applications
      WHERE deleted_at IS NULL AND settings LIKE ${`%"${id}"%`} ORDER BY code ${BYTEWISE}`,
  );
  return rows.map(settingsFromRow).flatMap(({ code, providers = [] }) => (providers.includes(id) ? [code] : []));
}

export function putProvider({ sealedSecrets, ...settings }: Provider): Query {
  return sql`INSERT INTO providers (id, settings, sealed_secrets)
    VALUES (${settings.id}, ${JSON.stringify(settings)}, ${sealedSecrets ?? null})
    ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, sealed_secrets = excluded.sealed_secrets`;
}

/**
 * With the links of people: another provider of this id would have other people by the same subjects. The links last: whoever adds one
 * meanwhile locks the provider (people/linking/queries.ts), so has committed it by then, or finds no provider.
 */
export function removeProvider(id: string): readonly Query[] {
  return [sql`DELETE FROM providers WHERE id = ${id}`, sql`DELETE FROM user_links WHERE provider = ${id}`];
}

export function toProvider(row: Row): Provider {
  const sealed = row.sealed_secrets as Uint8Array | null;
  return {
    ...(JSON.parse(row.settings as string) as ProviderSettings),
    sealedSecrets: sealed === null ? undefined : new Uint8Array(sealed),
  };
}

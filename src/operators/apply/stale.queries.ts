import { isDeepStrictEqual } from 'node:util';
import { applicationRow, clientRow, toStoredApplication } from '../../directory/applications/registry.queries.ts';
import { clientFromRow } from '../../directory/clients/rows.store.ts';
import { providerRow, toProvider } from '../../directory/providers/queries.ts';
import type { Row } from '../../platform/store/row.ts';
import type { Query } from '../../platform/store/sql.ts';
import { runAll, type Steps } from '../../platform/store/steps.ts';
import type { Provision, RowChange } from './store.ts';

/** Whether a row is another one than its change was decided on. The registry is locked: it stays what it is until the changes are written. */
export function* isStale(changes: readonly Provision[]): Steps<boolean> {
  const decided = changes.filter(hasRow).filter(({ from }) => from !== undefined);
  const found = yield* runAll(decided.map(present));
  return decided.some((change, index) => !isDeepStrictEqual(decidedOn(change, found[index]?.[0]), change.from));
}

function hasRow(change: Provision): change is RowChange {
  return change.kind === 'application' || change.kind === 'client' || change.kind === 'provider';
}

function present(change: RowChange): Query {
  switch (change.kind) {
    case 'application':
      return applicationRow(change.application.code);
    case 'client':
      return clientRow(change.app, change.client.client_id);
    case 'provider':
      return providerRow(change.provider.id);
  }
}

function decidedOn({ kind }: RowChange, row: Row | undefined): RowChange['from'] {
  if (!row) return 'none';
  return { application: toStoredApplication, client: clientFromRow, provider: toProvider }[kind](row);
}

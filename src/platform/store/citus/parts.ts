import { applicationOfPart, partSuffix, type StoredApp } from '../application-parts.ts';
import type { Statement } from '../postgres/statement.ts';

/** What distributed tables have in `app` for the credential with this key, and for all of its token family. */
export function partOf({ isCitus }: { readonly isCitus: boolean }, app: string, key: Uint8Array): StoredApp {
  return (isCitus ? app + partSuffix(key) : app) as StoredApp;
}

/**
 * A statement on distributed tables that concerns an application with all of its parts. `build` gets the SQL for the application of a
 * row. On Citus the statement goes to all shards.
 */
export function onAllParts(build: (app: string) => Statement): Statement {
  return { ...build('app'), onCitus: build(applicationOfPart('app')) };
}

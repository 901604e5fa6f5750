import { capabilities } from '../capabilities.ts';
import type { Capability } from '../capability.ts';
import type { StoreTables, Table } from '../platform/store/table.ts';

/** In these orders, whatever the order of capabilities. A table that is named nowhere comes last. */
const PURGED =
  words(`access_tokens refresh_tokens codes used_ids grants revoked_grants session_clients sessions ended_sessions
  withdrawn_consents spent_logins second_factor_attempts failed_attempts trusted_browsers idempotent_answers refusals statistics
  statistics_writers nodes mails password_resets email_confirmations address_mails pushed_requests token_exchanges
  device_authorizations backchannel_requests email_undos webhook_deliveries event_streams`);

/** A table comes after those that it refers to. */
const COPIED =
  words(`providers applications clients client_registrations initial_access_tokens client_origins signing_keys
  user_attributes users credentials
  login_names user_links provider_sessions consents sessions session_clients spent_logins second_factor_attempts trusted_browsers browser_notices ended_sessions
  grants revoked_grants waiting_revocations codes access_tokens token_exchanges refresh_tokens used_ids api_keys operators
  idempotent_answers events event_chain statistics refusals webhooks webhook_deliveries event_streams mails account_deletions password_resets
  email_confirmations address_mails email_undos logout_notices`);

/** A table comes after the one that it is placed with; on the coordinator there is nothing to do. */
const PLACED =
  words(`providers applications clients client_origins client_registrations initial_access_tokens signing_keys
  user_attributes users login_names
  operators ended_sessions grants revoked_grants codes access_tokens refresh_tokens session_clients token_exchanges`);

/** The tables and parts of the store that the capabilities declare. */
export function storeTables(declared: readonly Capability[] = capabilities): StoreTables {
  const tables = declared.flatMap(each => each.tables ?? []);
  const twice = tables.find(({ name }, index) => tables.findIndex(each => each.name === name) !== index);
  if (twice) throw new Error(`two capabilities declare the table ${twice.name}`);
  const parts = declared.flatMap(each => each.store ?? []);
  const operations = parts.flatMap(each => each.operations);
  const taken = operations.find((name, index) => operations.indexOf(name) !== index);
  if (taken !== undefined) throw new Error(`two capabilities declare the operation ${taken} of the store`);
  const ofPostgres = tables.filter(({ only }) => only !== 'sqlite');
  return {
    purged: inOrder(PURGED, tables).flatMap(({ name, only, purge }) => (purge ? [{ name, only, purge }] : [])),
    copied: inOrder(COPIED, tables).flatMap(table => ('copy' in table ? [{ name: table.name, ...table.copy }] : [])),
    placements: Object.fromEntries(inOrder(PLACED, ofPostgres).map(({ name, placement }) => [name, placement])),
    further: tables.flatMap(({ name, create }) => (create ? [{ name, create }] : [])),
    parts,
  };
}

function inOrder(order: readonly string[], tables: readonly Table[]): readonly Table[] {
  const place = ({ name }: Table) => (order.includes(name) ? order.indexOf(name) : order.length);
  return tables.toSorted((one, other) => place(one) - place(other));
}

function words(text: string): readonly string[] {
  return text.split(/\s+/);
}

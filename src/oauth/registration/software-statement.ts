import type { Application } from '../../directory/applications/rules.ts';
import { failure } from '../../failures.ts';
import { readSignedJwt } from '../../platform/crypto/signed-jwt.rules.ts';
import type { Refusal } from '../../platform/http/message.ts';
import { FAILURE_SECONDS } from '../../platform/outbound/document-cache.ts';
import type { Services } from '../../services.ts';
import { verifyWithKeys } from '../client-authentication/jwt-verifier.ts';
import { issuerFor } from '../discovery/issuer.ts';
import {
  findIssuer,
  STATEMENT_TYPES,
  type StatementFault,
  statementFault,
  statementFaults,
} from './software-statement.rules.ts';

/** A software statement of an issuer that the application trusts. */
export interface SoftwareStatement {
  /** As it was sent. */
  readonly text: string;
  readonly issuer: string;
  /** Metadata of the client among them. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** What costs nothing comes first: only what is right so far has its signature verified, and keys are fetched of trusted issuers alone. */
export async function verifySoftwareStatement(
  services: Services,
  application: Application,
  presented: unknown,
): Promise<SoftwareStatement | Refusal> {
  const statement = typeof presented === 'string' ? readSignedJwt(presented, STATEMENT_TYPES) : undefined;
  if (!statement) return invalid('malformed');
  const { text, claims } = statement;
  if (typeof claims.iss !== 'string') return invalid('issuerMissing');
  const trusted = findIssuer(application.software_statements, claims.iss);
  if (!trusted) return unapproved(claims.iss);
  const issuer = issuerFor(services, application);
  const { own } = (await services.tables.fields()).client;
  const names = own.map(({ name }) => name);
  const fault = statementFault(statement, issuer, names, services.clock.now());
  if (fault) return invalid(fault);
  const verdict = await verifyWithKeys(services.issuerKeySets, trusted, statement);
  if (verdict === 'keysUnreachable')
    return { failure: failure('statementKeysUnreachable'), retryAfter: FAILURE_SECONDS };
  return verdict === 'verified' ? { text, issuer: trusted.issuer, claims: withoutNull(claims) } : invalid(verdict);
}

function invalid(fault: StatementFault): Refusal {
  return { failure: failure('softwareStatementInvalid', statementFaults[fault]), facts: { statement: fault } };
}

function unapproved(iss: string): Refusal {
  return { failure: failure('softwareStatementUnapproved'), facts: { statementIssuer: iss } };
}

/** Null is as good as left out (RFC 7591 section 2), and what is left out takes no precedence. */
function withoutNull(claims: SoftwareStatement['claims']): SoftwareStatement['claims'] {
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null));
}

const MAX_ID_LENGTH = 200;

/** For the event: who vouched, and for which software (RFC 7591 section 2). */
export function vouchedFor({
  issuer,
  claims: { software_id: id },
}: SoftwareStatement): Readonly<Record<string, string>> {
  const software = typeof id === 'string' ? { software_id: id.slice(0, MAX_ID_LENGTH) } : {};
  return { software_statement_issuer: issuer, ...software };
}

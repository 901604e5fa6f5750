import type { Client } from '../../directory/clients/rules.ts';
import { type Failure, type FailureName, failure, targetFailure } from '../../failures.ts';
import type { Refusal } from '../../platform/http/message.ts';
import type { Fields } from '../../platform/observe/log.ts';
import { knowsDetails, PARAMETER, parseDetails } from '../authorization-details/rules.ts';
import type { AuthorizationDetail } from '../authorization-details/schema.rules.ts';
import { missingProof } from '../dpop/missing.ts';
import { type Binding, keyOfBinding } from '../proof-of-possession/binding.ts';
import {
  CERTIFICATE_METHOD,
  type Confirmation,
  confirmationOf,
  nameOfKey,
} from '../proof-of-possession/confirmation.rules.ts';
import type { CallerKind, CallerOf, Callers, TokenRequest } from './caller.ts';
import type { Issue } from './issue.ts';
import { requestedResources } from './requested-access.rules.ts';
import type { AccessRefusal } from './store.ts';

/**
 * What a grant is, and what it adds to the phases of the token endpoint. endpoint.ts reads the declaration: it calls `run` only
 * for a caller of a declared kind, and only when every required parameter is there.
 */
export interface GrantHandler<K extends CallerKind = CallerKind, I extends Issue = Issue> {
  /** In the order in which a missing one is reported. */
  readonly required: readonly string[];
  /** Beside `resource`, which every grant takes and which may be repeated (RFC 8707 section 2.2). */
  readonly optional: readonly string[];
  readonly callers: Callers<K>;
  /** On whose behalf its tokens act. */
  readonly subject: I['subject'];
  /** Whether a refresh token may come with them. A client without the refresh grant gets none in any case. */
  readonly refreshToken: boolean;
  run(call: GrantCall<K>): Promise<GrantResult<I>>;
}

export interface GrantCall<K extends CallerKind = CallerKind> extends TokenRequest {
  readonly caller: CallerOf<K>;
  /** What the new access token is bound to. */
  readonly binding: Binding;
}

export type GrantResult<I extends Issue = Issue> =
  | { readonly kind: 'issued'; readonly issue: I }
  /** A token of somebody else, which this server keeps: the answer as it is sent. */
  | { readonly kind: 'handedOut'; readonly set: Readonly<Record<string, unknown>> }
  | RefusedGrant;

export type RefusedGrant = { readonly kind: 'refused' } & Pick<
  Refusal,
  'failure' | 'retryAfter' | 'sub' | 'facts' | 'isRoutine'
>;

export function refused(reason: FailureName | Failure, retryAfter?: number): RefusedGrant {
  const refusal = typeof reason === 'string' ? failure(reason) : reason;
  return { kind: 'refused', failure: refusal, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** The grant does not cover the API that the request names, or that API is gone. The explanation can name a single one. */
function refusedTarget({ params, application }: TokenRequest): RefusedGrant {
  const [resource, ...more] = requestedResources(params, application);
  return { kind: 'refused', failure: targetFailure(more.length === 0 ? resource : undefined) };
}

/** The client shows no certificate, and its tokens are bound to one. */
export function certificateMissing(): RefusedGrant {
  const facts = { certificate: { fault: 'missing' } } as const;
  return { kind: 'refused', failure: failure('certificateUnusable', 'missing'), facts };
}

/** `authorization_details` of a token request: it can only leave out some of those that were granted (RFC 9396 section 6). */
export function requestedDetails({
  params,
  application,
}: TokenRequest): readonly AuthorizationDetail[] | RefusedGrant | undefined {
  const text = params.get(PARAMETER);
  if (text === undefined || !knowsDetails(application)) return undefined;
  const details = parseDetails(text);
  return typeof details === 'string'
    ? { kind: 'refused', failure: failure('authorizationDetailsInvalid', details) }
    : details;
}

/** A DPoP proof is needed and there is none: for the API, or for the code or refresh token that the request presents. */
export function proofMissing(client: Client | undefined): RefusedGrant {
  return { kind: 'refused', failure: missingProof(client), facts: { proof: { fault: 'missing' } } };
}

/** Undefined: with a verifier alone nobody is known. */
function knownCaller({ caller }: Pick<GrantCall, 'caller'>): Client | undefined {
  return caller.kind === 'verifier' ? undefined : caller.client;
}

/** The access token that the request names cannot be issued for its token family. */
export function refusedAccess(call: TokenRequest & Pick<GrantCall, 'caller'>, refusal: AccessRefusal): RefusedGrant {
  if (refusal === 'clientUnread') throw new Error('the client was read before');
  if (refusal === 'detailsInvalid')
    return { kind: 'refused', failure: failure('authorizationDetailsInvalid', 'more than was granted') };
  return refusal === 'proofMissing' ? proofMissing(knownCaller(call)) : refusedTarget(call);
}

/** Whether the request proves possession of the key or certificate that its code or refresh token is bound to; nothing is spent if not. */
export function refusedKey(
  { binding, caller }: Pick<GrantCall, 'binding' | 'caller'>,
  expected: string | undefined,
  differs: 'codeKeyDiffers' | 'refreshKeyDiffers',
): RefusedGrant | undefined {
  if (expected === undefined) return undefined;
  const received = nameOfKey(binding.confirmation);
  const bound = confirmationOf(expected);
  if (CERTIFICATE_METHOD in bound) return received === expected ? undefined : refusedCertificate(binding, bound);
  if (received === undefined || keyOfBinding(binding) === undefined) return proofMissing(knownCaller({ caller }));
  if (expected === '' || expected === received) return undefined;
  return { kind: 'refused', failure: failure(differs), facts: { proof: { fault: 'otherKey', expected, received } } };
}

/** Of the refresh token of a public client (RFC 8705 section 4). */
function refusedCertificate({ confirmation }: Binding, bound: Confirmation): RefusedGrant {
  const received = confirmation?.[CERTIFICATE_METHOD];
  if (received === undefined) return certificateMissing();
  const facts = { certificate: { fault: 'otherCertificate', expected: bound[CERTIFICATE_METHOD], received } } as const;
  return { ...refused('refreshTokenInvalid'), facts };
}

/** For the log: the user whose tokens these are, and the caller that sent the request. */
export function logFields({ request, application }: TokenRequest, client: Client, sub: string): Fields {
  const { id, address } = request;
  return { request: id, app: application.code, client: client.client_id, sub, address };
}

/** A parameter listed in `required`: endpoint.ts has made sure that it is there. */
export function required({ params }: TokenRequest, name: string): string {
  const value = params.get(name);
  if (value === undefined) throw new Error(`${name} is not among the required parameters of this grant`);
  return value;
}

import type { Application } from '../../directory/applications/rules.ts';
import { clientOrNone } from '../../directory/client-id-metadata/find-client.ts';
import { type Client, isByCertificate } from '../../directory/clients/rules.ts';
import { failure } from '../../failures.ts';
import type { Refusal, Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import {
  claimedClient,
  isPublicClient,
  refusedClaim,
  withoutCertificate,
  withoutCredentials,
} from '../client-authentication/public-client.ts';

/** The caller of the token endpoint, once it is identified. */
export type Caller =
  | { readonly kind: 'authenticated'; readonly client: Client }
  /** token_endpoint_auth_method none: the client names itself and cannot prove it. */
  | { readonly kind: 'public'; readonly client: Client }
  /** Code with PKCE and no credentials (interface.md section 5): the code tells the client, the verifier is the proof. */
  | { readonly kind: 'verifier'; readonly claimedClientId: string | undefined };

export type CallerKind = Caller['kind'];
export type CallerOf<K extends CallerKind> = Extract<Caller, { readonly kind: K }>;

/** Every grant takes an authenticated client (RFC 6749 section 3.2.1), and the callers without credentials that it lists. */
export type Callers<K extends CallerKind> = readonly ['authenticated', ...Exclude<K, 'authenticated'>[]];

export interface TokenRequest {
  readonly services: Services;
  readonly request: Request;
  readonly application: Application;
  readonly params: Params;
}

type RefusedCaller = { readonly kind: 'refused' } & Refusal;

/** `callers`: the kinds that the requested grant accepts; undefined if there is no such grant. */
export async function callerWithoutCredentials(
  call: TokenRequest,
  callers: Callers<CallerKind> | undefined,
): Promise<Caller | RefusedCaller> {
  const { services, request, application, params } = call;
  for (const kind of callers ?? []) {
    const caller = await WITHOUT_CREDENTIALS[kind](call);
    if (caller) return caller;
  }
  const client = clientOrNone(await claimedClient(services, request, application, params));
  if (client && isByCertificate(client.token_endpoint_auth_method))
    return { kind: 'refused', ...withoutCertificate(services, request, client) };
  return { kind: 'refused', ...withoutCredentials(client) };
}

/** How each kind of caller is recognised in a request without credentials; undefined: it is not of this kind. */
const WITHOUT_CREDENTIALS: {
  readonly [K in CallerKind]: (call: TokenRequest) => Identified<K> | Promise<Identified<K>>;
} = {
  authenticated: () => undefined,
  public: identifyPublicClient,
  verifier: ({ params }) =>
    params.get('code_verifier') === undefined
      ? undefined
      : { kind: 'verifier', claimedClientId: params.get('client_id') },
};

type Identified<K extends CallerKind> = CallerOf<K> | RefusedCaller | undefined;

async function identifyPublicClient(call: TokenRequest): Promise<Identified<'public'>> {
  const { services, request, application, params } = call;
  if (params.get('client_id') === undefined) return undefined;
  const client = await claimedClient(services, request, application, params);
  if (client && 'failure' in client) return { kind: 'refused', ...refusedClaim(client) };
  if (!client) return { kind: 'refused', failure: failure('clientAuthenticationFailed') };
  return isPublicClient(client) ? { kind: 'public', client } : undefined;
}

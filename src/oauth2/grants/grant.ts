import type { Refusal, Request } from '../../message.ts';
import type { Fields } from '../../observe/log.ts';
import type { Application, Client } from '../../protocol/client.ts';
import { type FailureName, failure } from '../../protocol/errors.ts';
import type { Params } from '../../protocol/params.ts';
import type { Services } from '../../services.ts';

/** What a grant adds to the shared steps of the token endpoint. */
export interface GrantHandler {
  /** In the order in which a missing one is reported. */
  readonly required: readonly string[];
  run(call: GrantCall): Promise<GrantResult>;
}

/** Who is at the token endpoint, once that is settled. */
export type Caller =
  | { readonly kind: 'authenticated'; readonly client: Client }
  /** token_endpoint_auth_method none: it names itself, and cannot prove it. */
  | { readonly kind: 'public'; readonly client: Client }
  /** Code with PKCE and no header: the code knows its client, the verifier is the proof. */
  | { readonly kind: 'verifier'; readonly claimedClientId: string | undefined };

export interface GrantCall {
  readonly services: Services;
  readonly request: Request;
  readonly application: Application;
  readonly params: Params;
  readonly caller: Caller;
}

export type GrantResult = { readonly kind: 'issued'; readonly tokenSet: Record<string, unknown> } | RefusedGrant;

export type RefusedGrant = { readonly kind: 'refused' } & Pick<Refusal, 'failure' | 'retryAfter' | 'sub'>;

export function refused(name: FailureName, retryAfter?: number): RefusedGrant {
  return { kind: 'refused', failure: failure(name), ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** Whose tokens these are, and who asked for them. */
export function logFields({ request, application }: GrantCall, client: Client, sub: string): Fields {
  const { id, address } = request;
  return { request: id, app: application.code, client: client.client_id, sub, address };
}

/** A parameter listed in `required`: token.ts has made sure that it is there. */
export function required({ params }: GrantCall, name: string): string {
  const value = params.get(name);
  if (value === undefined) throw new Error(`${name} is not among the required parameters of this grant`);
  return value;
}

import type { AuthMethod, Client } from '../../directory/clients/rules.ts';
import type { FailureName } from '../../failures.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import type { FaultyWorkload } from '../federated-credentials/rules.ts';
import type { FaultyCertificate } from '../mtls/rules.ts';
import type { AssertionFault } from './client-assertion.rules.ts';

/**
 * A way in which a client proves its identity (RFC 6749 section 2.3). A method only reads and verifies; authenticate.ts
 * makes sure that a request uses exactly one, counts the attempts and remembers what was verified.
 */
export interface ClientAuthMethod {
  /** Its value of token_endpoint_auth_method (RFC 7591 section 2). */
  readonly name: AuthMethod;
  /** The form parameters that it reads. */
  readonly parameters: readonly string[];
  /** False: these credentials are good for one request (the `jti` of an assertion, RFC 7523 section 3) and always verified. */
  readonly reusable: boolean;
  /** The credentials exactly as received, in one string; undefined where the request does not use this method. */
  presented(request: Request, params: Params): string | undefined;
  /** What the presented string may mean, none where it is malformed; a failure where it holds no client credentials at all. */
  readings(presented: string): readonly ClientCredentials[] | FailureName;
  verify(verification: Verification): Verdict | Promise<Verdict>;
}

/** `wrong`, or which check failed. The client gets the same answer for both. */
export type Verdict =
  | 'verified'
  | 'wrong'
  | AssertionFault
  | { readonly certificate: FaultyCertificate }
  | { readonly workload: FaultyWorkload };

export interface Verification {
  readonly services: Services;
  readonly app: string;
  readonly client: Client;
  readonly credentials: ClientCredentials;
  /** Of the request; undefined where several requests wait for one verification, which then counts from its own start. */
}

export interface ClientCredentials {
  readonly clientId: string;
  /** The client secret, or what a method has in its place. */
  readonly secret: string;
}

import { failure, parameterFailure } from '../../failures.ts';
import { isForm, json, type Refusal, withHeaders } from '../../platform/http/message.ts';
import { encodeParams, parseParams, withoutParams } from '../../platform/http/params.rules.ts';
import type { Endpoint } from '../../services.ts';
import { checkRedirectTarget, MAX_REQUEST_LENGTH, readAuthRequest } from '../authorize/request.rules.ts';
import { identifyClient } from '../client-authentication/identify.ts';
import { clientAuthParameters } from '../client-authentication/methods.ts';
import { isPublicClient } from '../client-authentication/public-client.ts';
import { signedRequest } from '../jar/signed-request.ts';
import { keyOfBinding, noteSuccess, presentedProof, UNBOUND, verifyProof } from '../proof-of-possession/binding.ts';
import { PUSHED_LIFETIME_SECONDS, pushRequest } from './pushed-request.ts';

/** Anybody can push in the name of a client without a secret, and it is stored for a minute. */
const MAX_PUBLIC_LENGTH = 4096;

/**
 * {issuer}/par (RFC 9126): the client sends its authorization request from its server, and the browser brings only the name of it. The
 * request is checked as /auth checks it, so a fault is seen before the user is sent anywhere.
 */
export const par: Endpoint = async (services, request, application) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  const params = request.form;
  const fault = params.fault(clientAuthParameters);
  if (fault) return { failure: parameterFailure(fault) };
  const client = await identifyClient(services, request, application, params);
  if ('failure' in client) return client;

  const { client_id } = client;
  // A pushed request cannot refer to another one (RFC 9126 section 2.1).
  if (params.get('request_uri') !== undefined) {
    return { failure: failure('parameterInvalid', 'request_uri'), client: client_id };
  }
  // A proof is not demanded here: the token request needs it (RFC 9449 sections 5.2 and 10.1). One whose tokens are bound to its certificate
  // never shows it there, and its code must not wait for it.
  const isByCertificate = client.tls_client_certificate_bound_access_tokens === true;
  const proof = isByCertificate ? undefined : presentedProof(services, request, undefined);
  const binding =
    proof === undefined ? UNBOUND : await verifyProof(services, request, proof, !isPublicClient(client), client);
  if ('failure' in binding) return { ...binding, client: client_id };
  // Credentials are no part of the request, and the client is the one that has authenticated.
  // Opened here, so that /auth has parameters alone (RFC 9126 section 3).
  const signed = await signedRequest(services, application, client, params);
  if (signed.kind === 'refused') return { failure: signed.failure, facts: signed.facts, client: client_id };
  const rest = withoutParams(
    signed.kind === 'opened' ? encodeParams(signed.parameters) : request.body,
    clientAuthParameters,
  );
  const keyed = withKey(rest, keyOfBinding(binding));
  if (typeof keyed !== 'string') return { ...keyed, client: client_id };
  const text = [encodeParams([['client_id', client_id]]), keyed].filter(part => part !== '').join('&');
  if (text.length > (isPublicClient(client) ? MAX_PUBLIC_LENGTH : MAX_REQUEST_LENGTH))
    return { failure: failure('requestTooLarge'), client: client_id };
  const pushed = parseParams(text);
  const trusted = checkRedirectTarget(pushed, client);
  if (trusted.kind === 'untrusted') return { failure: trusted.failure, client: client_id };
  const read = readAuthRequest(pushed, trusted.target, application);
  if (read.kind === 'refused') return { failure: read.failure, client: client_id };

  const wait = isPublicClient(client)
    ? (await services.throttle.admit({ kind: 'push', address: request.address })).wait
    : 0;
  if (wait > 0) return { failure: failure('tooManyPushedRequests'), retryAfter: wait, client: client_id };
  const requestUri = await pushRequest(services, application, client, text);
  noteSuccess(services, binding);
  return withHeaders(json({ request_uri: requestUri, expires_in: PUSHED_LIFETIME_SECONDS }, 201), binding.headers);
};

/** A proof counts as if the request had its key as dpop_jkt; where it has another one, it is refused (RFC 9449 section 10.1). */
function withKey(text: string, key: string | undefined): string | Refusal {
  if (key === undefined) return text;
  const params = parseParams(text);
  const named = params.get('dpop_jkt');
  if (named === key) return text;
  if (named !== undefined) {
    const facts = { proof: { fault: 'otherKey', expected: named, received: key } } as const;
    return { failure: failure('proofInvalid', 'jwk'), facts };
  }
  // One without a value counts as omitted. A fault stays, to be refused with the rest.
  const rest = params.isEmpty('dpop_jkt') ? withoutParams(text, ['dpop_jkt']) : text;
  return [rest, encodeParams([['dpop_jkt', key]])].filter(part => part !== '').join('&');
}

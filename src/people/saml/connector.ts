import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { Params } from '../../platform/http/params.rules.ts';
import { isFirstUse } from '../../platform/single-use/first-use.ts';
import type { Answered, Asked, Begun, Connector, Finished, Kept, SignOut } from '../federation/connector.ts';
import { ownKeysOf } from '../federation/own-keys.ts';
import { SKEW_SECONDS } from './assertion.rules.ts';
import { entityIdOf } from './own-metadata.rules.ts';
import { identityProviderOf } from './provider-metadata.ts';
import { receive } from './receive.ts';
import { endedThere } from './receive-logout.ts';
import { authnRequestXml, logoutRequestXml, redirectAddress, requestId, signedRequestXml } from './request.rules.ts';
import { invalid, type Said } from './said.ts';

/**
 * SAML 2.0 (profiles section 4.1): a request by HTTP-Redirect, or by HTTP-POST where the provider has that alone; the response by
 * HTTP-POST. The id of the request is the state of the attempt, so the signed InResponseTo binds the response to the browser.
 */
export const saml: Connector = { begin, receive, finish, signOut, endedThere };

const REQUEST_ID_BYTES = 16;

const deflate = promisify(deflateRaw);

async function begin(asked: Asked): Promise<Begun> {
  const { services, provider, callback, prompt, maxAge } = asked;
  const read = await identityProviderOf(services, provider);
  if (read.kind === 'failed') return read;
  const { signOn, wantsSignedRequests } = read.identityProvider;
  const isSigned = provider.sign_requests === true || wantsSignedRequests;
  const key = isSigned ? (await ownKeysOf(services, provider))[0].privateKey : undefined;
  const isAnew = prompt === 'login' || maxAge === 0;
  const time = services.clock.now();
  const request = {
    id: requestId(asked.state),
    time,
    issuer: entityIdOf(services.config.baseUrl, provider),
    callback,
    nameIdFormat: provider.name_id_format,
    // SAML cannot ask for an age, so whoever has to be fresh authenticates anew.
    isForced: isAnew || maxAge !== undefined,
  };
  const kept = { since: isAnew ? time : undefined, maxAge };
  const { redirect: url, post = '' } = signOn;
  if (url !== undefined) {
    const xml = authnRequestXml({ ...request, destination: url });
    const address = redirectAddress(url, await deflate(xml), key);
    return { kind: 'redirect', url: withHint(address, asked.loginHint), kept };
  }
  const posted = { ...request, destination: post };
  const xml = key ? signedRequestXml(posted, key) : authnRequestXml(posted);
  return { kind: 'post', url: post, fields: { SAMLRequest: Buffer.from(xml).toString('base64') }, kept };
}

/** Entra ID and Okta fill in the user name with it; others do not read it. The signature does not cover it. */
function withHint(address: string, hint: string | undefined): string {
  return hint === undefined ? address : `${address}&login_hint=${encodeURIComponent(hint)}`;
}

/** SAML profiles section 4.4, by HTTP-Redirect, which has to be signed. The provider comes back to an address of our metadata. */
async function signOut({ services, provider, session: { named } }: SignOut): Promise<string | undefined> {
  const read = await identityProviderOf(services, provider);
  const destination = read.kind === 'read' ? read.identityProvider.signOut.redirect : undefined;
  if (destination === undefined || !named) return undefined;
  const xml = logoutRequestXml({
    id: requestId(services.random.bytes(REQUEST_ID_BYTES).toString('base64url')),
    time: services.clock.now(),
    destination,
    issuer: entityIdOf(services.config.baseUrl, provider),
    named,
  });
  return redirectAddress(destination, await deflate(xml), (await ownKeysOf(services, provider))[0].privateKey);
}

async function finish(
  { services, provider, said: text }: Answered & { readonly said?: string | undefined },
  _: Params,
  { since, maxAge }: Kept,
): Promise<Finished> {
  if (text === undefined) return invalid('a response of SAML comes by POST');
  const said = JSON.parse(text) as Said;
  const now = services.clock.now();
  if (now >= said.validUntil) return invalid('the response has expired on its way');
  const oldest = typeof maxAge === 'number' ? maxAge : (provider.max_age ?? Number.POSITIVE_INFINITY);
  const earliest = typeof since === 'number' ? since : now - oldest;
  if (said.authenticatedAt < earliest - SKEW_SECONDS) {
    return invalid('the person did not authenticate anew, as it was asked for (ForceAuthn)');
  }
  const usedAt = { time: said.staleAt, within: SKEW_SECONDS };
  const isFirst = await isFirstUse(services, 'SAML assertion', [provider.id, said.assertion], usedAt);
  return isFirst ? { kind: 'identified', identity: said.identity } : invalid('the assertion was used before');
}

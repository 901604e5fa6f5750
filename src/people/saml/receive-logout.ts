import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Params } from '../../platform/http/params.rules.ts';
import { isFirstUse } from '../../platform/single-use/first-use.ts';
import type { AnsweredSignOut, EndedThere, SignOutMessage } from '../federation/connector.ts';
import { ownKeysOf } from '../federation/own-keys.ts';
import { SKEW_SECONDS } from './assertion.rules.ts';
import { logoutFaults } from './faults.rules.ts';
import {
  judgeLogoutRequest,
  type LogoutMessage,
  type LogoutRequested,
  MAX_LOGOUT_LENGTH,
} from './logout-request.rules.ts';
import type { IdentityProvider } from './metadata.rules.ts';
import { entityIdOf } from './own-metadata.rules.ts';
import { identityProviderOf, newerProviderOf } from './provider-metadata.ts';
import { logoutAnswerXml, redirectAddress, requestId, signedLogoutAnswerXml } from './request.rules.ts';
import { invalid } from './said.ts';

const inflate = promisify(inflateRaw);
const deflate = promisify(deflateRaw);

/**
 * The provider ends a session of a person (SAML profiles section 4.4.3.2): a request that it has signed, by HTTP-Redirect or HTTP-POST. It is
 * verified without cookies, which a post from another site does not have, and names whose sessions end.
 */
export async function endedThere(asked: SignOutMessage): Promise<EndedThere> {
  const { services, provider } = asked;
  const message = asked.posted ? postedMessage(asked.posted) : await sentMessage(asked.query);
  if (typeof message === 'string') return invalid(message);
  const read = await identityProviderOf(services, provider);
  if (read.kind === 'failed') return read;
  const { verdict, identityProvider } = await judge(asked, message, read.identityProvider);
  if (verdict.kind === 'refused') return invalid(logoutFaults[verdict.fault]);
  const { request } = verdict;
  const usedAt = { time: request.staleAt, within: SKEW_SECONDS };
  const isFirst = await isFirstUse(services, 'SAML logout request', [provider.id, request.id], usedAt);
  if (!isFirst) return invalid('the request was used before');
  const { nameId, nameIdFormat: format, nameQualifier, spNameQualifier, sessionIndexes } = request;
  return {
    kind: 'ended',
    named: { nameId, format, nameQualifier, spNameQualifier, sessionIndexes },
    answer: () => answerTo(asked, { ...request, relayState: message.relayState }, identityProvider),
  };
}

/** Where no key fits the signature, the provider may have a new one. */
async function judge(asked: SignOutMessage, message: LogoutMessage, identityProvider: IdentityProvider) {
  const { services, provider, address: destination } = asked;
  const judgeBy = ({ entityId: issuer, keys }: IdentityProvider) =>
    judgeLogoutRequest(message, { issuer, keys, destination, now: services.clock.now() });
  const verdict = judgeBy(identityProvider);
  if (verdict.kind !== 'refused' || verdict.fault !== 'signatureValue') return { verdict, identityProvider };
  const newer = await newerProviderOf(services, provider);
  return newer ? { verdict: judgeBy(newer), identityProvider: newer } : { verdict, identityProvider };
}

/** `relayState`: the provider gets it back (SAML bindings section 3.4.3). */
type Sent = LogoutMessage & { readonly relayState: string | undefined };

const NO_MESSAGE = 'there is no SAMLRequest in base64, of UTF-8 and 64 KiB at most';
const UNSIGNED = logoutFaults.unsignedRequest;

/** SAML bindings section 3.5.4. */
function postedMessage(posted: Params): Sent | string {
  const xml = textIn(bytesIn(posted.get('SAMLRequest')?.replace(/[ \t\r\n]/g, '')));
  return xml === undefined ? NO_MESSAGE : { xml, relayState: posted.get('RelayState') };
}

/** SAML bindings section 3.4.4.1: the signature covers the parameters as they were sent, before anything was decoded. */
async function sentMessage(query: string): Promise<Sent | string> {
  const sent = new Map<string, string>();
  for (const pair of query.split('&')) {
    const [name = '', ...value] = pair.split('=');
    if (!SIGNED_PARAMETERS.includes(name) && name !== 'Signature') continue;
    if (sent.has(name)) return `${name} is there twice`;
    sent.set(name, value.join('='));
  }
  const deflated = bytesIn(decoded(sent.get('SAMLRequest')));
  const xml = deflated && textIn(await inflated(deflated));
  if (xml === undefined) return NO_MESSAGE;
  const algorithm = decoded(sent.get('SigAlg'));
  const value = bytesIn(decoded(sent.get('Signature')));
  if (algorithm === undefined || !value) return UNSIGNED;
  const octets = SIGNED_PARAMETERS.flatMap(name => (sent.has(name) ? [`${name}=${sent.get(name)}`] : [])).join('&');
  return { xml, detached: { algorithm, octets, value }, relayState: decoded(sent.get('RelayState')) };
}

/** In the order in which they are signed. */
const SIGNED_PARAMETERS = ['SAMLRequest', 'RelayState', 'SigAlg'];

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function bytesIn(text: string | undefined): Buffer | undefined {
  return text && text.length <= 2 * MAX_LOGOUT_LENGTH && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
    ? Buffer.from(text, 'base64')
    : undefined;
}

async function inflated(bytes: Buffer): Promise<Buffer | undefined> {
  try {
    return await inflate(bytes, { maxOutputLength: MAX_LOGOUT_LENGTH });
  } catch {
    return undefined;
  }
}

function textIn(bytes: Buffer | undefined): string | undefined {
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

const ANSWER_ID_BYTES = 16;

/** Signed by our key, to where the metadata of the provider say. Undefined: they do not. */
async function answerTo(
  { services, provider }: SignOutMessage,
  { id: inResponseTo, relayState }: LogoutRequested & Pick<Sent, 'relayState'>,
  { signOutAnswers: { redirect, post } }: IdentityProvider,
): Promise<AnsweredSignOut | undefined> {
  const destination = redirect ?? post;
  if (destination === undefined) return undefined;
  const key = (await ownKeysOf(services, provider))[0].privateKey;
  const answer = {
    id: requestId(services.random.bytes(ANSWER_ID_BYTES).toString('base64url')),
    time: services.clock.now(),
    destination,
    issuer: entityIdOf(services.config.baseUrl, provider),
    inResponseTo,
  };
  if (redirect !== undefined) {
    const deflated = await deflate(logoutAnswerXml(answer));
    return { kind: 'redirect', url: redirectAddress(redirect, deflated, key, { name: 'SAMLResponse', relayState }) };
  }
  const encoded = Buffer.from(signedLogoutAnswerXml(answer, key)).toString('base64');
  return { kind: 'post', url: destination, fields: { SAMLResponse: encoded, RelayState: relayState } };
}

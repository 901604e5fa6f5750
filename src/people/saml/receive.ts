import type { Answered, ConnectedProvider, Posted, Received } from '../federation/connector.ts';
import { presentKeysOf } from '../federation/own-keys.ts';
import type { Assertion } from './assertion.rules.ts';
import { claimsOf, otherClaims, subjectOf } from './claims.rules.ts';
import { responseFaults } from './faults.rules.ts';
import type { IdentityProvider } from './metadata.rules.ts';
import { nameIdFormats } from './names.rules.ts';
import { entityIdOf } from './own-metadata.rules.ts';
import { identityProviderOf, newerProviderOf } from './provider-metadata.ts';
import { stateIn } from './request.rules.ts';
import { claimedInResponseTo, judgeResponse, MAX_RESPONSE_LENGTH, type ResponseVerdict } from './response.rules.ts';
import { invalid, type Said } from './said.ts';

/** The assertion consumer service: the verdict on what was posted, without cookies, and before anything is stored. */
export async function receive(asked: Answered, posted: Posted): Promise<Received> {
  const { provider } = asked;
  const text = responseIn(posted);
  if (text === undefined) {
    return { ...invalid('there is no SAMLResponse in base64, of UTF-8 and 256 KiB at most'), state: undefined };
  }
  const state = stateIn(claimedInResponseTo(text));
  const read = await identityProviderOf(asked.services, provider);
  if (read.kind === 'failed') return { ...read, state };
  const { verdict, identityProvider } = await judge(asked, text, read.identityProvider);
  switch (verdict.kind) {
    case 'accepted':
      return receivedOf(provider, verdict.assertion, isPostedBy(identityProvider, posted.origin));
    case 'refused':
      return {
        kind: 'failed',
        fault: { kind: 'invalid', reason: responseFaults[verdict.fault], isByBrowser: true },
        state,
      };
    case 'status': {
      const reason = `the provider said ${verdict.codes.join(', ') || 'nothing'}`;
      // Nobody signs it, so it says nothing about the provider itself: others could be kept away from it.
      return { kind: 'failed', fault: { kind: 'refused', reason, isByBrowser: true }, state };
    }
  }
}

/** SAML bindings section 3.5.4. Some providers break the lines. */
function responseIn({ fields }: Posted): string | undefined {
  const text = fields.get('SAMLResponse')?.replace(/[ \t\r\n]/g, '') ?? '';
  if (text === '' || text.length > 2 * MAX_RESPONSE_LENGTH || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'base64'));
  } catch {
    return undefined;
  }
}

interface Judged {
  readonly verdict: ResponseVerdict;
  readonly identityProvider: IdentityProvider;
}

/** Where no key fits the signature, the provider may have a new one. */
async function judge(asked: Answered, text: string, identityProvider: IdentityProvider): Promise<Judged> {
  const verdict = judgeWith(asked, text, identityProvider);
  if (verdict.kind !== 'refused' || verdict.fault !== 'signatureValue') return { verdict, identityProvider };
  const newer = await newerProviderOf(asked.services, asked.provider);
  return newer ? { verdict: judgeWith(asked, text, newer), identityProvider: newer } : { verdict, identityProvider };
}

function judgeWith({ services, provider, callback }: Answered, text: string, from: IdentityProvider): ResponseVerdict {
  return judgeResponse(text, {
    issuer: from.entityId,
    keys: from.keys,
    audience: entityIdOf(services.config.baseUrl, provider),
    callback,
    decryptionKeys: presentKeysOf(services, provider)?.map(({ privateKey }) => privateKey) ?? [],
    now: services.clock.now(),
    answers: request => (request === undefined ? provider.allow_unsolicited === true : stateIn(request) !== undefined),
  });
}

function receivedOf(provider: ConnectedProvider, assertion: Assertion, isSentByProvider: boolean): Received {
  const { id, nameId, nameIdFormat, inResponseTo, validUntil, staleAt, authnInstant, authnContext } = assertion;
  const state = stateIn(inResponseTo);
  const { name_id_format: format } = provider;
  if (format !== undefined && format !== 'unspecified' && nameIdFormat !== nameIdFormats[format]) {
    return { ...invalid(`the NameID has another format than name_id_format: ${format}`), state };
  }
  const subject = subjectOf(assertion, provider);
  if (subject === undefined) return { ...invalid(NO_SUBJECT), state };
  const claims = claimsOf(assertion, provider);
  const said: Said = {
    assertion: id,
    validUntil,
    staleAt,
    authenticatedAt: authnInstant,
    identity: {
      subject,
      claims: { ...otherClaims(assertion, claims), ...claims },
      acr: authnContext,
      authTime: authnInstant,
      session: provider.sign_out ? sessionOf(assertion) : undefined,
    },
  };
  const text = JSON.stringify(said);
  if (Buffer.byteLength(JSON.stringify(text)) > MAX_SAID_BYTES)
    return { ...invalid('what is mapped of the attributes is too long'), state };
  if (state !== undefined) return { kind: 'received', said: text, state };
  const label = typeof claims.email === 'string' ? claims.email : nameId;
  return { kind: 'unsolicited', said: text, label, isSentByProvider };
}

function sessionOf({ nameId, nameIdFormat: format, nameQualifier, spNameQualifier, sessionIndex }: Assertion) {
  return { named: { nameId, format, nameQualifier, spNameQualifier, sessionIndex } };
}

const NO_SUBJECT =
  'nothing says who the person is: the NameID is transient, or the attribute that claims.sub names is not there once';
/** As a text in JSON. Sealed and in base64url it has a third more, and a query of 16 KiB is the longest that is taken. */
const MAX_SAID_BYTES = 10_500;

/**
 * Browsers say which site has sent a form. A post from another one than the provider could sign somebody in to an account of the sender
 * (login CSRF); a client that names no site is no browser.
 */
function isPostedBy({ signOn, signOut }: IdentityProvider, origin: string | undefined): boolean {
  const own = [signOn, signOut].flatMap(({ redirect, post }) => [redirect, post]);
  return origin === undefined || own.some(address => URL.parse(address ?? '')?.origin === origin);
}

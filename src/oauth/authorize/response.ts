import type { RefusalFacts } from '../../audit/refusals/facts.rules.ts';
import { loggedDetail } from '../../audit/refusals/mask.ts';
import type { Application } from '../../directory/applications/rules.ts';
import { type Client, isSelfRegistered } from '../../directory/clients/rules.ts';
import { type Failure, failure } from '../../failures.ts';
import { currentSession } from '../../people/sessions/sessions.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { type Answer, header, type Refusal, type Reply, type Request, redirect } from '../../platform/http/message.ts';
import { formPostPage } from '../../platform/ui/form-post.html.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import { issuerFor } from '../discovery/issuer.ts';
import type { AuthRequest } from './request.rules.ts';
import {
  carrierOf,
  isSigned,
  modeFor,
  type ResponseFields,
  type ResponseMode,
  responseLocation,
} from './response-mode.rules.ts';
import { formPostText } from './text.ts';

/** Responses to a client through the browser. The redirect address of the client must have been checked. */
export interface AuthResponse {
  answer(mode: ResponseMode, fields: ResponseFields): Promise<Answer>;
  refuse(mode: ResponseMode, reason: Failure, facts?: RefusalFacts, person?: Person): Promise<Answer>;
}

/** Who is in front of the browser. */
interface Person {
  readonly session: LiveSession | undefined;
  /** Cancelled, or went back from a page that said no. */
  readonly hasLeft: boolean;
}

export function authResponse(
  services: Services,
  request: Request,
  application: Application,
  client: Client,
  { clientId, redirectUri, state, uiLocales }: Pick<AuthRequest, 'clientId' | 'redirectUri' | 'state' | 'uiLocales'>,
): AuthResponse {
  const answer = async (asked: ResponseMode, fields: ResponseFields): Promise<Reply | Refusal> => {
    const mode = modeFor(asked, client);
    // `iss` tells the client which server answers (RFC 9207).
    const issuer = issuerFor(services, application);
    const all: ResponseFields = [...fields, ['state', state]];
    const complete: ResponseFields | undefined = isSigned(mode)
      ? await (await import('../jarm/sign-response.ts')).signResponse(services, application, client, all)
      : [...all, ['iss', issuer]];
    if (!complete) return { failure: failure('encryptionKeyMissing'), client: clientId };
    const carrier = carrierOf(mode);
    if (carrier !== 'form_post') return redirect(responseLocation(redirectUri, carrier, complete), 302);
    const locale = chooseLocale(uiLocales, header(request, 'accept-language'));
    return formPostPage(locale, formPostText[locale].returning, redirectUri, complete);
  };
  const refuse: AuthResponse['refuse'] = async (mode, reason, facts = {}, person) => {
    const refusal = { failure: reason, app: application.code, client: clientId, facts };
    if (isSelfRegistered(client)) {
      const { session, hasLeft } = person ?? { session: await sessionFor(clientId), hasLeft: false };
      if (!hasApproved(session) && !(session && hasLeft)) return { ...refusal, ...WITHHELD };
    }
    const { name, error, description, detail } = reason;
    const { id, address } = request;
    const who = { request: id, app: application.code, client: clientId, address };
    services.log.info('auth.refused', { ...who, error, reason: name, detail: loggedDetail(detail) });
    const reply = await answer(mode, [
      ['error', error],
      ['error_description', description],
      ['error_uri', `${services.config.docsUrl}/${error}`],
    ]);
    return 'failure' in reply ? reply : { ...reply, error, refusal };
  };
  const sessionFor = (clientId: string) => currentSession(services, request, { app: application.code, clientId });
  return { answer, refuse };
}

/**
 * Anybody can register an address and link to an authorization request that fails: the server would send the browsers of its users
 * there, an open redirector (RFC 9700 section 4.11.2, row 66). So a self-registered client gets errors only of users who have approved
 * it, or who left a page of this server after they had signed in.
 */
const WITHHELD = {
  isWithheld: true,
  expected: 'that the user has approved this self-registered client before: only then errors go to its redirect_uri',
} as const;

function hasApproved(session: LiveSession | undefined): boolean {
  return session !== undefined && session.consented.length > 0;
}

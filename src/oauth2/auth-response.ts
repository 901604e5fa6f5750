import { type Answer, header, type Reply, type Request, redirect } from '../message.ts';
import { formPostPage } from '../pages/form-post-page.ts';
import { chooseLocale } from '../pages/locale.ts';
import type { AuthRequest } from '../protocol/auth-request.ts';
import type { Application } from '../protocol/client.ts';
import type { Failure } from '../protocol/errors.ts';
import type { RefusalFacts } from '../protocol/refusal-facts.ts';
import { type ResponseFields, type ResponseMode, responseLocation } from '../protocol/response-mode.ts';
import type { Services } from '../services.ts';
import { issuerFor } from './issuer.ts';

/** Responses to a client through the browser. The redirect address of the client must have been checked. */
export interface AuthResponse {
  answer(mode: ResponseMode, fields: ResponseFields): Answer;
  refuse(mode: ResponseMode, reason: Failure, facts?: RefusalFacts): Answer;
}

export function authResponse(
  services: Services,
  request: Request,
  application: Application,
  { clientId, redirectUri, state, uiLocales }: Pick<AuthRequest, 'clientId' | 'redirectUri' | 'state' | 'uiLocales'>,
): AuthResponse {
  const answer = (mode: ResponseMode, fields: ResponseFields): Reply => {
    // `iss` tells the client which server answers (RFC 9207).
    const issuer = issuerFor(services, application);
    const complete: ResponseFields = [...fields, ['state', state], ['iss', issuer]];
    if (mode !== 'form_post') return redirect(responseLocation(redirectUri, mode, complete), 302);
    return formPostPage(chooseLocale(uiLocales, header(request, 'accept-language')), redirectUri, complete);
  };
  const refuse = (mode: ResponseMode, failure: Failure, facts: RefusalFacts = {}): Answer => {
    const { name, error, description, detail } = failure;
    const { id, address } = request;
    const who = { request: id, app: application.code, client: clientId, address };
    services.log.info('auth.refused', { ...who, error, reason: name, detail });
    const reply = answer(mode, [
      ['error', error],
      ['error_description', description],
      ['error_uri', `${services.config.docsUrl}/${error}`],
    ]);
    return { ...reply, error, refusal: { failure, app: application.code, client: clientId, facts } };
  };
  return { answer, refuse };
}

import { type Answer, header, type Reply, type Request, redirect } from '../message.ts';
import { formPostPage } from '../pages/form-post-page.ts';
import { chooseLocale } from '../pages/locale.ts';
import type { RedirectTarget } from '../protocol/auth-request.ts';
import { type Application, issuerOf } from '../protocol/client.ts';
import type { Failure } from '../protocol/errors.ts';
import type { Params } from '../protocol/params.ts';
import { type ResponseFields, type ResponseMode, responseLocation } from '../protocol/response-mode.ts';
import type { Services } from '../services.ts';

/** How a client is answered through the browser, once its redirect address is trusted. */
export interface AuthResponse {
  answer(mode: ResponseMode, fields: ResponseFields): Answer;
  refuse(mode: ResponseMode, reason: Failure): Answer;
}

export function authResponse(
  { config, log }: Services,
  request: Request,
  application: Application,
  params: Params,
  { client, redirectUri }: RedirectTarget,
): AuthResponse {
  const answer = (mode: ResponseMode, fields: ResponseFields): Reply => {
    // `iss` tells the client which server answers (RFC 9207).
    const issuer = issuerOf(config.baseUrl, application.code);
    const complete: ResponseFields = [...fields, ['state', params.get('state')], ['iss', issuer]];
    if (mode !== 'form_post') return redirect(responseLocation(redirectUri, mode, complete), 302);
    return formPostPage(
      chooseLocale(params.get('ui_locales'), header(request, 'accept-language')),
      redirectUri,
      complete,
    );
  };
  const refuse = (mode: ResponseMode, { name, error, description, detail }: Failure): Answer => {
    const { id, address } = request;
    const who = { request: id, app: application.code, client: client.client_id, address };
    log.info('auth.refused', { ...who, error, reason: name, detail });
    const reply = answer(mode, [
      ['error', error],
      ['error_description', description],
      ['error_uri', `${config.docsUrl}/${error}`],
    ]);
    return { ...reply, error };
  };
  return { answer, refuse };
}

import { failure } from '../../failures.ts';
import { logoutLocation } from '../../oauth/logout/rules.ts';
import { isForm, NOTHING, param, redirect } from '../../platform/http/message.ts';
import type { Handler } from '../../services.ts';
import { SIGNED_OUT_COOKIE, type SignedOutReturn } from './sign-out.ts';

/** The parameter of a message with which a provider of SAML asks for something (SAML bindings section 3.4.3). */
const REQUEST_OF_SAML = 'SAMLRequest';

/** GET /login/provider/{id}/signed-out: the browser is back, and goes on to where the client wanted it; or the provider signs the person out. */
export const signedOutThere: Handler = async (services, request) => {
  // HEAD must end no session (RFC 9110 section 9.3.2).
  if (request.method === 'HEAD') return NOTHING;
  if (request.queryParams.get(REQUEST_OF_SAML) !== undefined) return endThere(services, request, undefined);
  const { cookies } = services;
  const sealed = request.queryParams.get('state') ?? cookies.read(request, SIGNED_OUT_COOKIE);
  const target = services.pending.open<SignedOutReturn>(request, sealed, 'provider-logout')?.content;
  const { baseUrl } = services.config;
  const address = logoutLocation(baseUrl, target ?? { redirectUri: undefined, state: undefined });
  return redirect(address, 303, [cookies.erase(SIGNED_OUT_COOKIE)]);
};

/** The same by HTTP-POST. A post from another site comes without cookies: with the answer to a sign-out of ours the browser comes once more by itself. */
export const signedOutByForm: Handler = async (services, request) => {
  if (!isForm(request)) return { failure: failure('contentTypeInvalid') };
  if (request.form.get(REQUEST_OF_SAML) !== undefined) return endThere(services, request, request.form);
  return redirect(`${services.config.baseUrl}/login/provider/${param(request, 'id')}/signed-out`, 303);
};

async function endThere(...call: Parameters<typeof import('./ended-there.ts').endThere>) {
  const there = await import('./ended-there.ts');
  return there.endThere(...call);
}

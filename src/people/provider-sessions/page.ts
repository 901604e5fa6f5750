import { logoutLocation } from '../../oauth/logout/rules.ts';
import { redirect } from '../../platform/http/message.ts';
import type { Handler } from '../../services.ts';
import { SIGNED_OUT_COOKIE, type SignedOutReturn } from './sign-out.ts';

/** GET /login/provider/{id}/signed-out: the browser is back, and goes on to where the client wanted it. */
export const signedOutThere: Handler = async (services, request) => {
  const { cookies } = services;
  const sealed = request.queryParams.get('state') ?? cookies.read(request, SIGNED_OUT_COOKIE);
  const target = services.pending.open<SignedOutReturn>(request, sealed, 'provider-logout')?.content;
  const { baseUrl } = services.config;
  const address = logoutLocation(baseUrl, target ?? { redirectUri: undefined, state: undefined });
  return redirect(address, 303, [cookies.erase(SIGNED_OUT_COOKIE)]);
};

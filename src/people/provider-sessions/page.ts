import { logoutLocation } from '../../oauth/logout/rules.ts';
import { redirect } from '../../platform/http/message.ts';
import type { Handler } from '../../services.ts';
import type { SignedOutReturn } from './sign-out.ts';

/** GET /login/provider/{id}/signed-out: the browser is back, and goes on to where the client wanted it. */
export const signedOutThere: Handler = async (services, request) => {
  const sealed = request.queryParams.get('state');
  const target = services.pending.open<SignedOutReturn>(request, sealed, 'provider-logout')?.content;
  const { baseUrl } = services.config;
  return redirect(logoutLocation(baseUrl, target ?? { redirectUri: undefined, state: undefined }), 303);
};

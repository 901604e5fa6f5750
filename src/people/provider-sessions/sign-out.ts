import type { Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { connected, connectorOf } from '../federation/begin.ts';
import { formTargetsOf } from '../federation/offered.ts';
import type { LiveSession } from '../sessions/store.ts';
import { FEDERATED } from '../sign-in/acr.rules.ts';
import { takeKept } from './keep.ts';

/** Where the browser goes on when it comes back from the provider. */
export interface SignedOutReturn {
  readonly redirectUri: string | undefined;
  readonly state: string | undefined;
}

/** SAML has 80 bytes for what a provider brings back (RelayState), so that the browser itself remembers where it goes on. */
export const SIGNED_OUT_COOKIE = 'gatehouse_signed_out';
const RETURN_SECONDS = 600;

export interface SignOutThere {
  readonly url: string;
  readonly cookies: readonly string[];
}

/**
 * The address at which the provider ends its session too (OpenID Connect RP-Initiated Logout, SAML profiles section 4.4), where the operator wants that and the provider says
 * how. A provider that does not answer is left alone: the session here ends.
 */
export async function signOutThere(
  services: Services,
  request: Request,
  session: LiveSession,
  { redirectUri, state }: SignedOutReturn,
): Promise<SignOutThere | undefined> {
  if (!session.amr.includes(FEDERATED)) return undefined;
  const taken = await takeKept(services, session.sid);
  const registered = taken && (await services.registry.providers()).find(({ id }) => id === taken.provider);
  if (!taken || !registered?.sign_out || !services.providerHealth.isAvailable(registered.id)) return undefined;
  const provider = connected({ services }, registered);
  const connector = await connectorOf({ services }, registered);
  const content: SignedOutReturn = { redirectUri, state };
  const { sealed, cookies } = services.pending.begin(request, 'provider-logout', content);
  const returnTo = `${services.config.baseUrl}/login/provider/${registered.id}/signed-out`;
  const url = await connector.signOut?.({ services, provider, returnTo, state: sealed, session: taken.kept });
  if (url === undefined) return undefined;
  return { url, cookies: [...cookies, services.cookies.write(SIGNED_OUT_COOKIE, sealed, RETURN_SECONDS)] };
}

/** For the page that asks: browsers apply `form-action` to where its form is redirected to. */
export async function signOutTargets(
  { registry }: Pick<Services, 'registry'>,
  { amr }: Pick<LiveSession, 'amr'>,
): Promise<readonly string[]> {
  if (!amr.includes(FEDERATED)) return [];
  return formTargetsOf((await registry.providers()).filter(({ sign_out }) => sign_out));
}

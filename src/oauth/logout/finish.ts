import type { Event } from '../../audit/events/rules.ts';
import { endSession } from '../../people/sessions/sessions.ts';
import type { EndedSession, LiveSession } from '../../people/sessions/store.ts';
import { FEDERATED } from '../../people/sign-in/acr.rules.ts';
import { type Reply, type Request, redirect, withCookies } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import type { Services } from '../../services.ts';
import type { ToldClient } from '../frontchannel-logout/rules.ts';
import { type LogoutReturn, logoutLocation } from './rules.ts';

/** A session that has ended, on the page that tells its clients (Front-Channel Logout), and from where the browser goes on. */
export interface EndedLogout extends LogoutReturn {
  readonly uiLocales: string | undefined;
  readonly told: readonly ToldClient[];
  readonly sub: string;
  readonly sid: string;
}

/** Ends the session of this browser and sends the browser on: over that page, if a client of the session is told in a frame. */
export async function finishLogout(
  services: Services,
  request: Request,
  session: LiveSession | undefined,
  target: LogoutReturn & { readonly uiLocales: string | undefined },
  event: (ended: EndedSession) => Event,
): Promise<Reply> {
  const there = session?.amr.includes(FEDERATED) && (await signOutThere(services, request, session, target));
  if (there) {
    const through = { ...target, redirectUri: there.url, state: undefined };
    const reply = await endHere(services, request, session, through, event);
    return withCookies(reply, there.cookies);
  }
  return endHere(services, request, session, target, event);
}

async function endHere(
  services: Services,
  request: Request,
  session: LiveSession | undefined,
  target: LogoutReturn & { readonly uiLocales: string | undefined },
  event: (ended: EndedSession) => Event,
): Promise<Reply> {
  const { baseUrl } = services.config;
  const told = session ? await clientsToTell(services, session) : [];
  const cookie = await endSession(services, request, event);
  if (!session || told.length === 0) return redirect(logoutLocation(baseUrl, target), 303, [cookie]);
  const { redirectUri, state, uiLocales } = target;
  const content: EndedLogout = { redirectUri, state, uiLocales, told, sub: session.user.sub, sid: session.sid };
  const { sealed, cookies } = services.pending.begin(request, 'ended-logout', content);
  return redirect(`${baseUrl}/logout?${encodeParams([['ended', sealed]])}`, 303, [cookie, ...cookies]);
}

/** Loaded with the first session of somebody who came from a provider. */
async function signOutThere(
  ...call: Parameters<typeof import('../../people/provider-sessions/sign-out.ts').signOutThere>
) {
  const provider = await import('../../people/provider-sessions/sign-out.ts');
  return provider.signOutThere(...call);
}

/** Asked before the session ends, which forgets its clients. */
async function clientsToTell(services: Services, { sid }: LiveSession): Promise<readonly ToldClient[]> {
  if (!(await services.registry.isAnyToldInFrames())) return [];
  const told = await import('../frontchannel-logout/told.ts');
  return told.clientsToTell(services, sid);
}

import { type Reply, type Request, redirect } from '../../platform/http/message.ts';
import { type Html, html } from '../../platform/ui/html.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import type { LiveSession } from '../sessions/store.ts';
import { relyingPartyOf } from './rules.ts';
import { passkeyOfferText } from './text.ts';

/**
 * Users who signed in with a password are offered a passkey on their account page, until they say "not now". Not between a login and
 * the answer to a client: people there want to get to the application, and a page that they do not expect would stop clients that
 * drive a browser. Hidden without script, and where the browser knows no passkeys.
 */
const COOKIE = 'gatehouse_no_passkey';
const DECLINED_SECONDS = 30 * 86_400;

/** Empty where there is nothing to offer. */
export function passkeyOffer(services: Services, request: Request, session: LiveSession, locale: Locale): Html {
  const isOffered =
    session.amr.includes('pwd') &&
    !session.hasPasskey &&
    relyingPartyOf(services.config.baseUrl) !== undefined &&
    services.cookies.read(request, COOKIE) === undefined;
  if (!isOffered) return html``;
  const text = passkeyOfferText[locale];
  return html`<section class="offer" data-passkeys-only hidden>
<h2>${text.title}</h2>
<p>${text.intro}</p>
<div class="acts"><a class="button act" href="/account/security/passkeys">${text.create}</a>
<form method="post" action="/account/security/passkeys"><button type="submit" name="action" value="not_now" class="small bare">${text.notNow}</button></form></div>
</section>
`;
}

export function declineOffer({ config, cookies }: Services): Reply {
  return redirect(`${config.baseUrl}/account`, 303, [cookies.write(COOKIE, '1', DECLINED_SECONDS)]);
}

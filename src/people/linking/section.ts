import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { providerName } from '../../directory/providers/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { noticeTo } from '../../notify/mail/notices.ts';
import type { Request } from '../../platform/http/message.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import { formTargetsOf, offeredAt } from '../federation/offered.ts';
import { federationText } from '../federation/text.ts';
import { RECENT_SECONDS } from '../sign-in/demands.rules.ts';
import { beginSignIn, type OwnPage, openSignIn } from '../sign-in/progress.ts';
import { keyOf } from './fields.ts';
import { nameOfProvider } from './link-person.ts';
import { MAX_LINKS_OF_USER } from './rules.ts';
import type { LinksView } from './section.html.ts';
import type { UnlinkOutcome } from './store.ts';

const SECURITY_PAGE = { path: '/account/security', maxAge: RECENT_SECONDS, isSensitive: true } as const;

/** The same of somebody who goes to a provider from there. */
export function pageThatLinks(sub: string): OwnPage {
  return { ...SECURITY_PAGE, addsLinkTo: sub };
}

export interface LinksPart {
  readonly view: LinksView;
  readonly formTargets: readonly string[];
  readonly cookies: readonly string[];
  /** What went wrong at the provider from which the person comes back. */
  readonly fault: string | undefined;
}

/** Undefined: nobody signs in with another account here. */
export async function linksPartOf(
  services: Services,
  request: Request,
  locale: Locale,
  sub: string,
): Promise<LinksPart | undefined> {
  const links = await services.store.linksOf(sub);
  const { providers } = await offeredAt({ services, target: undefined });
  if (links.length + providers.length === 0) return undefined;
  const registered = await services.registry.providers();
  const nameOf = (id: string) => providerName(registered.find(each => each.id === id) ?? { id });
  const canAdd = links.length < MAX_LINKS_OF_USER;
  const addable = providers.filter(({ id }) => canAdd && !links.some(({ provider }) => provider === id));
  const { sealed, cookies } = beginSignIn(services, request, undefined, pageThatLinks(sub));
  return {
    view: {
      links: links.map(link => ({ ...link, name: nameOf(link.provider) })),
      addable: addable.map(provider => ({ id: provider.id, name: providerName(provider) })),
      pending: sealed,
    },
    formTargets: formTargetsOf(addable),
    cookies,
    fault: faultOf(services, request, locale, sub, nameOf),
  };
}

function faultOf(
  services: Services,
  request: Request,
  locale: Locale,
  sub: string,
  nameOf: (id: string) => string,
): string | undefined {
  const progress = openSignIn(services, request, request.queryParams.get('pending'))?.progress;
  const { faults } = federationText[locale];
  const { kind = '', provider = '' } = progress?.providerFault ?? {};
  if (progress?.ownPage?.addsLinkTo !== sub || !Object.hasOwn(faults, kind)) return undefined;
  return faults[kind as keyof typeof faults](nameOf(provider));
}

/** `lastWay`: nothing else would let the user in. */
export async function disconnect(
  services: Services,
  request: Request,
  locale: Locale,
  user: Profile,
  id: string,
): Promise<UnlinkOutcome> {
  const key = keyOf(id);
  if (!key) return 'unknown';
  const { sub } = user;
  const event = requestEvent(services, request, {
    type: 'user.unlinked',
    outcome: 'success',
    actor: userActor(sub),
    subject: sub,
    details: { provider: key.provider },
  });
  const provider = await nameOfProvider(services, key.provider);
  const mail = noticeTo(services, user, { kind: 'linkRemoved', provider }, locale);
  return services.store.unlinkUser(sub, key, true, { event, mail });
}

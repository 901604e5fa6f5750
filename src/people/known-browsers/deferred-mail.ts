import { orderedId } from '../../audit/events/ordered-id.ts';
import { newDeferredMail, newMail, type Sealing } from '../../notify/mail/queue.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import type { Services } from '../../services.ts';
import { browserName } from './browser-name.rules.ts';
import { newBrowserMail } from './mail.ts';

/** A sign-in with a browser that is not known for the user, before anybody has looked whether the user is to be told. */
export interface NewBrowser {
  readonly kind: 'newBrowser';
  readonly sub: string;
  readonly locale: Locale;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly time: number;
}

export function newBrowserEntry(sealing: Sealing, signIn: Omit<NewBrowser, 'kind'>): NewMail {
  return newDeferredMail(sealing, orderedId(sealing, 'browser'), { ...signIn, kind: 'newBrowser' });
}

/** So many tell a user what happens; more, from somebody who has the password and many browsers, would hide other mails. */
const MAX_NOTICES_PER_DAY = 5;

/**
 * The second half of a sign-in with a browser that is not known for the user: the mail, unless it was the user's first sign-in. Only a
 * verified address gets one: another may belong to somebody else.
 */
export async function tellOfNewBrowser(services: Services, id: string, signIn: NewBrowser): Promise<void> {
  const { store, clock, config } = services;
  const { sub, locale, address, userAgent, time } = signIn;
  const user = await store.findUser(sub);
  if (!user) return store.finishMail(id);
  const { username, email, emailVerified } = user;
  const { browser, system } = browserName(userAgent);
  const name = [browser, system].filter(part => part !== undefined).join(' · ') || undefined;
  const content = newBrowserMail({ locale, username, baseUrl: config.baseUrl, browser: name, address, time });
  const hasAddress = email !== undefined && emailVerified && !user.disabled;
  const mail = hasAddress ? newMail(services, { ...content, name: 'new browser', to: email }) : undefined;
  await store.noteNewBrowser({ sub, mail, maxPerDay: MAX_NOTICES_PER_DAY, requestedBy: id }, clock.now());
}

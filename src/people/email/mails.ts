import { type Block, type Content, contentOf, paragraph } from '../../notify/mail/content.ts';
import { siteOf } from '../../notify/mail/messages.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { emailMailText } from './mails.text.ts';

/**
 * The mails about an e-mail address. Those to an address that is not confirmed name no user: whoever typed the address could choose
 * the name, and with it what a stranger reads.
 */
interface Sent {
  readonly locale: Locale;
  /** BASE_URL: every link begins with it. */
  readonly baseUrl: string;
  /** The name of the application; undefined: the person was on a page of this server. */
  readonly application?: string | undefined;
}

type Purpose = 'sign-up' | 'verify' | 'change';

export function confirmAddressMail(sent: Sent, purpose: Purpose, secrets: { code: string; token: string }): Content {
  const { hello, confirm } = emailMailText[sent.locale];
  const place = placeOf(sent);
  return contentOf(sent.locale, confirm.subject(place), [
    paragraph(hello),
    paragraph(confirm.intro[purpose](place)),
    paragraph(confirm.code),
    { kind: 'code', code: secrets.code },
    paragraph(confirm.link),
    { kind: 'link', href: `${sent.baseUrl}/confirm-email?token=${secrets.token}`, label: confirm.label },
    paragraph(confirm.limits),
    paragraph(confirm.otherwise),
  ]);
}

/** To an address that a sign-up, or another user, named and that belongs to a user. */
export function addressTakenMail(sent: Sent, purpose: Purpose): Content {
  const { hello, exists, tried } = emailMailText[sent.locale];
  const place = placeOf(sent);
  if (purpose !== 'sign-up') {
    const blocks = [paragraph(hello), paragraph(tried.intro(place)), paragraph(tried.otherwise)];
    return contentOf(sent.locale, tried.subject(place), blocks);
  }
  const link: Block = { kind: 'link', href: `${sent.baseUrl}/forgot-password`, label: exists.label };
  return contentOf(sent.locale, exists.subject(place), [
    paragraph(hello),
    paragraph(exists.intro(place)),
    paragraph(exists.forgot),
    link,
    paragraph(exists.otherwise),
  ]);
}

/** To the former address. Without a token: the change cannot be undone by this mail. */
export function addressChangedMail(sent: Sent, username: string, undoToken?: string): Content {
  const { helloTo, changed } = emailMailText[sent.locale];
  const site = siteOf(sent.baseUrl);
  const begin = [paragraph(helloTo(username)), paragraph(changed.intro(site))];
  if (undoToken === undefined) {
    return contentOf(sent.locale, changed.subject(site), [...begin, paragraph(changed.withoutLink)]);
  }
  return contentOf(sent.locale, changed.subject(site), [
    ...begin,
    paragraph(changed.otherwise),
    { kind: 'link', href: `${sent.baseUrl}/undo-email?token=${undoToken}`, label: changed.label },
    paragraph(changed.limits),
  ]);
}

function placeOf({ application, baseUrl }: Sent): string {
  return application ?? siteOf(baseUrl);
}

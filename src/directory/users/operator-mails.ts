import { type Content, contentOf, paragraph } from '../../notify/mail/content.ts';
import type { Locale } from '../../platform/ui/locale.rules.ts';
import { operatorMailText } from './text.ts';

/** The mails about what operators do with the account of a user. */
interface Recipient {
  readonly locale: Locale;
  readonly username: string;
  /** BASE_URL: every link begins with it. */
  readonly baseUrl: string;
}

export function invitationMail({ locale, username, baseUrl }: Recipient, token: string): Content {
  const { hello, invitation } = operatorMailText[locale];
  const site = new URL(baseUrl).host;
  return contentOf(locale, invitation.subject(site), [
    paragraph(hello(username)),
    paragraph(invitation.intro(site, username)),
    { kind: 'link', href: `${baseUrl}/reset-password?token=${token}`, label: invitation.label },
    paragraph(invitation.limits),
    paragraph(invitation.otherwise),
  ]);
}

export function factorsResetMail({ locale, username, baseUrl }: Recipient): Content {
  const { hello, factorsReset } = operatorMailText[locale];
  const site = new URL(baseUrl).host;
  return contentOf(locale, factorsReset.subject(site), [
    paragraph(hello(username)),
    paragraph(factorsReset.intro(site)),
    paragraph(factorsReset.next),
    { kind: 'link', href: `${baseUrl}/account/security`, label: factorsReset.label },
    paragraph(factorsReset.otherwise),
  ]);
}

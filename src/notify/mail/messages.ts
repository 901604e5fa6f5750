import type { Locale } from '../../platform/ui/locale.rules.ts';
import { type Content, contentOf, paragraph } from './content.ts';
import { passwordMailText, testMailContent } from './text.ts';

/** The mails, in the language of the request that caused them. */
export interface Recipient {
  readonly locale: Locale;
  readonly username: string;
  /** BASE_URL: every link begins with it. */
  readonly baseUrl: string;
}

export function resetPasswordMail({ locale, username, baseUrl }: Recipient, token: string): Content {
  const { hello, reset } = passwordMailText[locale];
  const site = siteOf(baseUrl);
  return contentOf(locale, reset.subject(site), [
    paragraph(hello(username)),
    paragraph(reset.intro(site)),
    { kind: 'link', href: `${baseUrl}/reset-password?token=${token}`, label: reset.label },
    paragraph(reset.limits),
    paragraph(reset.otherwise),
  ]);
}

export function passwordChangedMail({ locale, username, baseUrl }: Recipient): Content {
  const { hello, changed } = passwordMailText[locale];
  const site = siteOf(baseUrl);
  return contentOf(locale, changed.subject(site), [
    paragraph(hello(username)),
    paragraph(changed.intro(site)),
    paragraph(changed.otherwise),
    { kind: 'link', href: `${baseUrl}/forgot-password`, label: changed.label },
  ]);
}

/** To an operator, who tests whether mail is sent. */
export function testMail(locale: Locale, baseUrl: string): Content {
  const { subject, intro } = testMailContent[locale];
  const site = siteOf(baseUrl);
  return contentOf(locale, subject(site), [paragraph(intro(site))]);
}

export function siteOf(baseUrl: string): string {
  return new URL(baseUrl).host;
}

import type { Locale } from '../../platform/ui/locale.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import { type Block, type Content, contentOf, paragraph } from './content.ts';
import { type Recipient, siteOf } from './messages.ts';
import { type NamedFactor, noticeMailText } from './text.ts';

/** The mails that tell a person what was changed in the account, and what to do if it was somebody else. */

/** Undefined for a kind that no mail has a name for. */
export function toNamedFactor(kind: string): NamedFactor | undefined {
  return Object.hasOwn(noticeMailText.en.factors, kind) ? (kind as NamedFactor) : undefined;
}

export function factorMail(recipient: Recipient, change: 'added' | 'removed', factor: NamedFactor): Content {
  return changedMail(recipient, change, noticeMailText[recipient.locale].factors[factor]);
}

/** `provider`: its name, as people know it. */
export function linkMail(recipient: Recipient, change: 'added' | 'removed', provider: string): Content {
  return changedMail(recipient, change, noticeMailText[recipient.locale].link(provider));
}

function changedMail(recipient: Recipient, change: 'added' | 'removed', what: string): Content {
  const { hello, notYou, security, ...text } = noticeMailText[recipient.locale];
  const site = siteOf(recipient.baseUrl);
  return contentOf(recipient.locale, text[change].subject(site), [
    paragraph(hello(recipient.username)),
    paragraph(text[change].intro(site, what)),
    paragraph(notYou),
    securityLink(recipient, security),
  ]);
}

export function deletionMail(recipient: Recipient, dueAt: number): Content {
  const { hello, scheduled } = noticeMailText[recipient.locale];
  const site = siteOf(recipient.baseUrl);
  return contentOf(recipient.locale, scheduled.subject(site), [
    paragraph(hello(recipient.username)),
    paragraph(scheduled.intro(site, dayText(recipient.locale, dueAt))),
    paragraph(scheduled.until),
    paragraph(scheduled.undo),
    { kind: 'link', href: `${recipient.baseUrl}/account`, label: scheduled.label },
  ]);
}

export function keptMail(recipient: Recipient): Content {
  const { hello, kept, notYou, security } = noticeMailText[recipient.locale];
  const site = siteOf(recipient.baseUrl);
  return contentOf(recipient.locale, kept.subject(site), [
    paragraph(hello(recipient.username)),
    paragraph(kept.intro(site)),
    paragraph(notYou),
    securityLink(recipient, security),
  ]);
}

function securityLink({ baseUrl }: Recipient, label: string): Block {
  return { kind: 'link', href: `${baseUrl}/account/security`, label };
}

function dayText(locale: Locale, seconds: number): string {
  return timeText(locale, new Date(seconds * 1000));
}

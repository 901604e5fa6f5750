import type { Application } from '../../directory/applications/rules.ts';
import type { Client } from '../../directory/clients/rules.ts';
import type { Profile } from '../../directory/users/claims.rules.ts';
import { contentOf, paragraph } from '../../notify/mail/content.ts';
import { siteOf } from '../../notify/mail/messages.ts';
import { recipientOf } from '../../notify/mail/notices.ts';
import { newMail } from '../../notify/mail/queue.ts';
import type { NewMail } from '../../notify/mail/store.ts';
import { APPROVALS_PATH } from '../../people/sign-in/progress.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import { timeText } from '../../platform/ui/time-text.ts';
import type { Services } from '../../services.ts';
import { approvalMailText } from './text.ts';

interface AboutRequest {
  readonly id: string;
  readonly client: Client;
  readonly application: Application;
  readonly expiresAt: number;
}

/**
 * Tells the person that a request waits. Without the text of the client: a mail in our name says nothing in the words of others. Undefined
 * where the server sends no mail, or the person has no verified address.
 */
export function approvalMail(
  services: Services,
  user: Profile,
  { id, client, application, expiresAt }: AboutRequest,
): NewMail | undefined {
  const addressed = recipientOf(services, user);
  if (!addressed) return undefined;
  const { recipient, to } = addressed;
  const { locale, username, baseUrl } = recipient;
  const text = approvalMailText[locale];
  const href = `${baseUrl}${APPROVALS_PATH}?${encodeParams([['request', id]])}`;
  const content = contentOf(locale, text.subject(siteOf(baseUrl)), [
    paragraph(text.hello(username)),
    paragraph(text.intro(client.client_name, application.name)),
    paragraph(text.until(timeText(locale, new Date(expiresAt * 1000)))),
    { kind: 'link', href, label: text.label },
    paragraph(text.notYou),
  ]);
  return newMail(services, { ...content, name: 'approval request', to }, expiresAt - services.clock.now());
}

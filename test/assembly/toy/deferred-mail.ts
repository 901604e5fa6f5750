import { type Deferred, newMail } from '../../../src/notify/mail/queue.ts';
import type { Services } from '../../../src/services.ts';

export interface Guest extends Deferred {
  readonly to: string;
}

export async function welcomeGuest(services: Services, id: string, { to }: Guest): Promise<void> {
  const mail = newMail(services, {
    name: 'welcome',
    to,
    subject: 'Welcome',
    text: 'You are in the book.',
    html: '<p>You are in the book.</p>',
  });
  await services.store.addMail(mail, 10);
  await services.store.finishMail(id);
}

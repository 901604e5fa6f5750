import { z } from 'zod';
import { type OperationContext, operation } from '../../operators/api/operation.ts';
import { conflict, done, invalid } from '../../operators/api/outcome.ts';
import { chooseLocale } from '../../platform/ui/locale.rules.ts';
import { testMailText } from './test-mail.text.ts';
import { sendTestMail } from './test-mail.ts';
import { ONE_ADDRESS } from './transport.ts';

export const testMail = operation({
  summary:
    'Send a test mail past the queue, and return what the mail server answered. Without `to` it goes to the operator who asks.',
  role: 'operator',
  reach: 'deployment',
  body: z.strictObject({ to: z.string().regex(ONE_ADDRESS, 'must be one e-mail address').optional() }),
  result: z.object({
    to: z.string(),
    destination: z.string().meta({ description: 'The mail server with its port, or the folder.' }),
    outcome: z.enum(['accepted', 'written', 'refused']).meta({
      description: '`accepted` by the mail server; `written` into a folder, where nobody receives it; `refused`.',
    }),
    answer: z.string().meta({ description: 'What the mail server answered, or why it could not be asked.' }),
    fault: z
      .enum(['login', 'connection', 'tls', 'sender', 'recipient', 'other'])
      .optional()
      .meta({ description: 'Of one that was refused: what to look at.' }),
  }),
  example: { to: 'alice@example.com' },
  async run(context, { body }) {
    const { services } = context;
    const { mail } = services.config;
    if (!mail) return conflict(`${testMailText.en.off} Set MAIL_URL.`);
    const own = await operatorWhoAsks(context);
    const to = body.to ?? own?.email;
    if (to === undefined) return invalid('/to', 'is missing, and the caller has no e-mail address');
    const { kind, id = '' } = context.caller.actor;
    const { wait } = await services.throttle.admit({ kind: 'accountMail', account: `test ${kind} ${id}` });
    if (wait > 0) return conflict(testMailText.en.tooMany);
    const tested = await sendTestMail(services, mail, to, chooseLocale(own?.standardClaims?.locale, undefined));
    recordTest(context, tested.outcome);
    return done(tested);
  },
});

/** Undefined: an API key or the command line asks. */
async function operatorWhoAsks({ services, caller: { actor } }: OperationContext) {
  return actor.kind === 'operator' && actor.id !== undefined ? services.store.findUser(actor.id) : undefined;
}

/** Not in the time of the request, which a slow mail server may have used up. Without the recipient, as all events of mails. */
function recordTest({ services, caller, origin }: OperationContext, outcome: string): void {
  const event = { type: 'mail.tested', outcome: outcome === 'refused' ? 'failure' : 'success' } as const;
  services.recorder.record({ ...event, actor: caller.actor, ...origin, details: { result: outcome } });
}

import { z } from 'zod';
import { subParam } from '../../operators/api/input.ts';
import { actOf, operation } from '../../operators/api/operation.ts';
import { done, unknown } from '../../operators/api/outcome.ts';
import { exportOf } from './export.ts';

const entries = z.array(z.looseObject({}));

/** What the user gets at /account/data, for one who asks the operator of the server instead. */
export const exportUser = operation({
  reach: 'deployment',
  params: subParam,
  summary:
    'Export everything that the server knows about a user, without secrets. The export is recorded in the audit log.',
  role: 'operator',
  result: z.object({
    exported_at: z.string(),
    profile: z.looseObject({ sub: z.string() }),
    factors: entries,
    trusted_browsers: entries,
    links: entries,
    sessions: entries,
    consents: entries,
    grants: entries,
    email_undos: entries,
    events: entries,
    events_are_complete: z.boolean().meta({ description: 'False: older events were left out.' }),
  }),
  async run(context, { params: { sub } }) {
    const { services } = context;
    const user = await services.store.findUser(sub);
    if (!user) return unknown('user');
    const exported = await exportOf(services, user);
    await services.store.recordEvents([actOf(context, { type: 'user.exported', subject: sub }).event]);
    return done(exported);
  },
});

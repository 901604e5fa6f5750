import { type ConsolePage, refusalOf } from '../../operators/console-frame/page.ts';
import { NOT_STORED, redirect } from '../../platform/http/message.ts';
import { exportUser } from './operations.ts';

/** /console/users/{sub}/export: the file of everything about one person, for who asks the operator instead of /account/data. */
export const exportPage: ConsolePage = {
  place: 'users',
  show: async ({ services, params }) =>
    redirect(`${services.config.baseUrl}/console/users/${encodeURIComponent(params.sub ?? '')}`, 303),
  submit: async ({ perform, params }) => {
    const exported = await perform<object>(exportUser, { params });
    if (exported.kind !== 'done') return refusalOf(exported);
    return {
      status: 200,
      headers: { ...NOT_STORED, 'content-disposition': 'attachment; filename="person.json"' },
      body: `${JSON.stringify(exported.value, undefined, 2)}\n`,
    };
  },
};

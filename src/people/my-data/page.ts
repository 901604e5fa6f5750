import { type Answer, NOT_STORED, type Request } from '../../platform/http/message.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { presentSession, toPlace } from '../account/frame.ts';
import { freshSession, localeOf } from '../second-factor/page.ts';
import type { LiveSession } from '../sessions/store.ts';
import { GRACE_DAYS } from './delete-account.ts';
import { exportOf } from './export.ts';
import { dataPage } from './html.ts';

/** /account/data: the user takes everything along, or leaves (delete-account.ts). */
const PATH = '/account/data';

export const showData: Handler = async (services, request) => {
  const session = await presentSession(services, request, PATH);
  return 'status' in session ? session : dataPage(localeOf(request), GRACE_DAYS);
};

/** The download needs a fresh proof: a browser that was left open would give everything away at once. */
export const submitData: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  const session = await freshSession(services, request, PATH);
  if ('status' in session) return session;
  return request.form.get('action') === 'download' ? download(services, request, session) : toPlace(services, PATH);
};

async function download(services: Services, request: Request, { user: { sub } }: LiveSession): Promise<Answer> {
  const user = await services.store.findUser(sub);
  if (!user) return toPlace(services, PATH);
  const content = await exportOf(services, user);
  services.log.info('data.downloaded', { request: request.id, sub, address: request.address });
  return {
    status: 200,
    headers: { ...NOT_STORED, 'content-disposition': 'attachment; filename="account.json"' },
    body: `${JSON.stringify(content, undefined, 2)}\n`,
  };
}

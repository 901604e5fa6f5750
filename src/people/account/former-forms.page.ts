import type { Page } from '../../services.ts';
import { withdrawAccess } from '../consent/access.page.ts';
import { endSessions, senderOf } from '../sessions/page.ts';
import { toPlace } from './frame.ts';

/** POST /account: the forms that stood on this page in the releases before, and may still be open in a browser. */
export const submitAccount: Page = async (services, request) => {
  const session = await senderOf(services, request);
  if ('failure' in session) return session;
  const form = request.form;
  if (form.get('withdraw') !== undefined) return withdrawAccess(services, request, session);
  return form.get('end_session') === undefined
    ? toPlace(services, '/account')
    : endSessions(services, request, session);
};

import { requestEvent, userActor } from '../../audit/events/request-event.ts';
import { toPlace } from '../../people/account/frame.ts';
import { freshSession } from '../../people/second-factor/page.ts';
import { APPROVALS_PATH } from '../../people/sign-in/progress.ts';
import type { Answer, Request } from '../../platform/http/message.ts';
import type { Services } from '../../services.ts';
import { approvalCodeHashes } from './approval-code.ts';
import { isApprovalCode } from './rules.ts';

/** The part of /account/approvals with the approval code. Whoever has stolen a session must not change it: it needs a fresh proof. */
export const codeActions: readonly string[] = ['set_code', 'remove_code'];

/** `invalid`: the page is shown once more. */
export async function changeCode(services: Services, request: Request): Promise<Answer | 'invalid'> {
  const session = await freshSession(services, request, APPROVALS_PATH);
  if ('status' in session) return session;
  const { store, ring, clock } = services;
  const { sub } = session.user;
  const form = request.form;
  const who = { outcome: 'success', actor: userActor(sub), subject: sub } as const;
  if (form.get('action') === 'remove_code') {
    await store.removeApprovalCode(sub, requestEvent(services, request, { type: 'approval.code_removed', ...who }));
    return toPlace(services, APPROVALS_PATH);
  }
  const code = form.get('approval_code') ?? '';
  if (!isApprovalCode(code)) return 'invalid';
  const [hash] = approvalCodeHashes(ring, sub, code);
  const event = requestEvent(services, request, { type: 'approval.code_set', ...who });
  await store.setApprovalCode(sub, { hash, setAt: clock.now() }, event);
  return toPlace(services, APPROVALS_PATH);
}

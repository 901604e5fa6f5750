import { failure } from '../../failures.ts';
import { presentSession } from '../../people/account/frame.ts';
import { localeOf } from '../../people/second-factor/page.ts';
import type { LiveSession } from '../../people/sessions/store.ts';
import { APPROVALS_PATH, beginSignIn, RESUME, resume } from '../../people/sign-in/progress.ts';
import { type Answer, NOTHING, type Request } from '../../platform/http/message.ts';
import { encodeParams } from '../../platform/http/params.rules.ts';
import { refuseForeignForm } from '../../platform/ui/own-form.ts';
import type { Handler, Services } from '../../services.ts';
import { requestOf } from '../polled-grant/decision.page.ts';
import { changeCode, codeActions } from './approval-code.page.ts';
import { type ApprovalEnd, approvalsPage, endPage, type ListedApproval } from './approvals.html.ts';
import { decideApproval, resumeApproval } from './decision.page.ts';
import type { BackchannelRequest } from './store.ts';

/**
 * /account/approvals: the requests that wait for the person, and one of them (decision.page.ts).
 *
 *   GET /account/approvals ─▶ the list
 *   GET /account/approvals?request=… ─▶ sign-in pages, if the client or application demands more than the session has
 *     ─▶ GET /account/approvals?gatehouse_pending=… ─▶ the question ─▶ POST /account/approvals
 */
export const showApprovals: Handler = async (services, request) => {
  const params = request.queryParams;
  const sealed = params.get(RESUME);
  // It may tell the client that the person has no access, which HEAD must not do (RFC 9110 section 9.3.2).
  if (sealed !== undefined) return request.method === 'HEAD' ? NOTHING : resumeApproval(services, request, sealed);
  const id = params.get('request');
  const path = id === undefined ? APPROVALS_PATH : `${APPROVALS_PATH}?${encodeParams([['request', id]])}`;
  const session = await presentSession(services, request, path);
  if ('status' in session) return session;
  return id === undefined ? listApprovals(services, request, session) : beginDecision(services, request, session, id);
};

export const submitApprovals: Handler = async (services, request) => {
  const foreign = refuseForeignForm(services.config.baseUrl, request);
  if (foreign) return foreign;
  if (!codeActions.includes(request.form.get('action') ?? '')) return decideApproval(services, request, request.form);
  const changed = await changeCode(services, request);
  if (changed !== 'invalid') return changed;
  const session = await presentSession(services, request, APPROVALS_PATH);
  return 'status' in session ? session : listApprovals(services, request, session, true);
};

async function listApprovals(
  services: Services,
  request: Request,
  session: LiveSession,
  isCodeInvalid = false,
): Promise<Answer> {
  const { store, clock } = services;
  const waiting = await store.backchannelRequestsOf(session.user.sub, clock.now());
  const listed = await Promise.all(waiting.map(each => toListed(services, each)));
  const code = await store.approvalCodeOf(session.user.sub);
  return approvalsPage({
    locale: localeOf(request),
    listed: listed.flatMap(each => each ?? []),
    codeSetAt: code?.setAt,
    isCodeInvalid,
  });
}

/** Undefined: its client does not exist any more. */
async function toListed({ registry }: Services, asked: BackchannelRequest): Promise<ListedApproval | undefined> {
  const application = await registry.application(asked.app);
  const client = await registry.client(asked.app, asked.clientId);
  if (!application || !client) return undefined;
  const { id, bindingMessage, createdAt, expiresAt } = asked;
  return {
    ...{ id, client: client.client_name, application: application.name },
    ...{ bindingMessage, createdAt, expiresAt },
  };
}

/** A request to somebody else is not found, as if it did not exist. */
async function beginDecision(services: Services, request: Request, session: LiveSession, id: string): Promise<Answer> {
  const { store, registry, config } = services;
  const { sub } = session.user;
  const asked = await store.findBackchannelRequest(id, sub);
  if (!asked) return ended(request, 'unknown');
  if (!(await registry.client(asked.app, asked.clientId))) return ended(request, 'gone');
  const authorization = {
    app: asked.app,
    request: { ...requestOf(`${config.baseUrl}${APPROVALS_PATH}`, asked), acr: asked.acr },
    requiredSub: sub,
    approval: { id },
  };
  const begun = beginSignIn(services, request, authorization);
  return resume(config.baseUrl, { sealed: begun.sealed, progress: { authorization } }, begun.cookies);
}

function ended(request: Request, end: ApprovalEnd): Answer {
  const page = endPage({ locale: localeOf(request), brand: { name: 'Gatehouse' }, client: '' }, end);
  return end === 'unknown' ? { ...page, refusal: { failure: failure('approvalUnknown') } } : page;
}

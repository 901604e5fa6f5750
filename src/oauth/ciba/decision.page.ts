import { isAgent } from '../../people/agents/rules.ts';
import { aboutClient } from '../../people/consent/about-client.html.ts';
import { scopeTexts } from '../../people/consent/scope-text.ts';
import { brandOf } from '../../platform/ui/brand.ts';
import { type DecisionVisit, decisionPage } from '../polled-grant/decision.page.ts';
import { type ApprovalEnd, approvalPage, endPage } from './approvals.html.ts';
import type { BackchannelRequest } from './store.ts';

/** One request at /account/approvals: the person signs in as the client and application demand, and decides. */
export const { resume: resumeApproval, decide: decideApproval } = decisionPage<BackchannelRequest>({
  keyOf: ({ approval }) => approval?.id,
  async find({ services: { store, clock }, key }, sub) {
    const found = await store.findBackchannelRequest(key, sub);
    const isOver = found?.state === 'pending' && found.expiresAt <= clock.now();
    return isOver ? undefined : found;
  },
  decide: ({ services: { store, clock }, key }, sub, decision) =>
    store.decideBackchannelRequest(key, sub, decision, clock.now()),

  async ask({ services, signIn, locale, target }, { agreed, details, shown, session }, request) {
    const { client, application } = target;
    return approvalPage({
      locale,
      brand: brandOf(services.config.baseUrl, application),
      client: client.client_name,
      application: application.name,
      bindingMessage: request.bindingMessage,
      createdAt: request.createdAt,
      expiresAt: request.expiresAt,
      scope: scopeTexts(locale, application, agreed),
      details,
      shown,
      user: session.user,
      isAgent: isAgent(client),
      pending: signIn.sealed,
      about: await aboutClient(services, locale, client),
    });
  },
  outcome: (visit, kind) => end(visit, kind),
  gone: visit => end(visit, 'over'),
  note: (log, decision, fields) =>
    decision === 'approved' ? log.info('approval.given', fields) : log.info('approval.denied', fields),
  events: { approved: 'approval.given', denied: 'approval.denied' },
  about: () => ({}),
});

function end({ services, locale, target }: DecisionVisit, kind: ApprovalEnd) {
  const brand = brandOf(services.config.baseUrl, target.application);
  return endPage({ locale, brand, client: target.client.client_name }, kind);
}

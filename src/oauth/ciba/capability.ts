import { capability, from, grant } from '../../capability.ts';
import { endpoint, FOR_SERVERS, form, late, pageOf } from '../../platform/http/route.ts';
import { storePart } from '../../platform/store/late-part.ts';
import { CIBA_GRANT } from './rules.ts';
import type { ApprovalCodes, BackchannelRequests, Pings } from './store.ts';
import { cibaTables } from './tables.ts';

/**
 * Backchannel authentication (OpenID Connect CIBA Core 1.0), poll and ping: {issuer}/bc-authorize for the client, /account/approvals for
 * the person who decides, and the grant with which the client fetches its tokens. open-approval.ts asks a person without the endpoint.
 */
export const ciba = capability('oauth/ciba', {
  routes: [
    endpoint('bc-authorize', FOR_SERVERS, {
      POST: form(late(() => import('./endpoint.ts'), 'backchannelAuthorization')),
    }),
    pageOf('/account/approvals', () => import('./approvals.page.ts'), 'showApprovals', 'submitApprovals'),
  ],
  discovery: { backchannel_authentication_endpoint: '/bc-authorize' },
  grants: {
    // No client registers itself for it: strangers could ask people, and find out who has an account.
    [CIBA_GRANT]: grant(() => import('./grant.ts'), 'backchannel', {
      isConfidential: true,
      label: {
        en: 'Backchannel (CIBA): the client names a person, who approves at /account/approvals',
        zh: '后端通道（CIBA）：客户端指明用户，用户在 /account/approvals 批准',
      },
    }),
  },
  tables: cibaTables,
  jobs: [
    { name: 'pings', everyMs: 1000, runs: 'once on a machine', load: from(() => import('./job.ts'), 'sendPings') },
  ],
  store: [
    storePart<BackchannelRequests>(
      {
        openBackchannelRequest: true,
        findBackchannelRequest: true,
        backchannelRequestsOf: true,
        decideBackchannelRequest: true,
        pollBackchannelRequest: true,
      },
      async () => (await import('./queries.ts')).coldBackchannelRequests,
    ),
    storePart<ApprovalCodes>(
      { approvalCodeOf: true, setApprovalCode: true, removeApprovalCode: true },
      async () => (await import('./codes.queries.ts')).coldApprovalCodes,
    ),
    storePart<Pings>(
      { takePings: true, finishPing: true, postponePing: true },
      async () => (await import('./pings.queries.ts')).coldPings,
    ),
  ],
  fields: from(() => import('./fields.ts'), 'cibaFields'),
});

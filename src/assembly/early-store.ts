import { coldEvents } from '../audit/events/queries.ts';
import { coldRefusals } from '../audit/refusals/queries.ts';
import { coldStatistics } from '../audit/statistics/queries.ts';
import { coldProviders } from '../directory/providers/queries.ts';
import { coldEventStreams } from '../notify/event-streams/queries.ts';
import { coldMails } from '../notify/mail/queries.ts';
import { coldDeliveries } from '../notify/webhooks/deliveries.queries.ts';
import { coldSubscriptions } from '../notify/webhooks/queries.ts';
import { coldPushedRequests } from '../oauth/par/queries.ts';
import { coldUnusedClients } from '../oauth/registration/unused.queries.ts';
import { coldSigningKeys } from '../oauth/signing-keys/queries.ts';
import { coldStatus } from '../operators/overview/queries.ts';
import { coldDueDeletions } from '../people/my-data/due.queries.ts';
import type { ColdDatabase } from '../platform/store/steps.ts';
import { coldFailedAttempts } from '../platform/throttle/failed-attempts.queries.ts';

/** The parts of both stores that a start, a job or a token request needs, and whose statements no store has tuned. */
export function earlyStore(cold: ColdDatabase) {
  return {
    ...coldDueDeletions(cold),
    ...coldUnusedClients(cold),
    ...coldProviders(cold),
    ...coldSigningKeys(cold),
    ...coldRefusals(cold),
    ...coldEvents(cold),
    ...coldStatistics(cold),
    ...coldStatus(cold),
    ...coldFailedAttempts(cold),
    ...coldSubscriptions(cold),
    ...coldEventStreams(cold),
    ...coldDeliveries(cold),
    ...coldMails(cold),
    ...coldPushedRequests(cold),
  };
}

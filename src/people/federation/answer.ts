import { callbackOf, type Provider } from '../../directory/providers/rules.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { withinRequest } from '../../platform/store/request-time.ts';
import type { Visit } from '../sign-in/visit.ts';
import { connected, connectorOf } from './begin.ts';
import { concludeSignIn } from './conclude.ts';
import type { Finished, Kept, Received } from './connector.ts';
import { backWithFault } from './fault.ts';

/** Who the person is, in the sign-in that the answer belongs to. */
export async function concludeAnswer(
  visit: Visit,
  registered: Provider,
  answer: Params,
  kept: Kept,
  received?: Received,
): Promise<Answer> {
  const { services } = visit;
  const { id } = registered;
  const provider = connected(visit, registered);
  const finished: Finished =
    received?.kind === 'failed'
      ? received
      : await (await connectorOf(visit, provider)).finish(
          { services, provider, callback: callbackOf(services.config.baseUrl, id), said: received?.said },
          answer,
          kept,
        );
  const isFault = finished.kind === 'failed';
  services.providerHealth.note(id, !isFault || finished.fault.kind !== 'unavailable');
  // The time of the provider is not that of the database.
  return withinRequest(performance.now(), async () =>
    isFault ? backWithFault(visit, provider, finished.fault) : concludeSignIn(visit, provider, finished.identity),
  );
}

import { callbackOf, type Provider } from '../../directory/providers/rules.ts';
import type { Answer } from '../../platform/http/message.ts';
import type { Params } from '../../platform/http/params.rules.ts';
import { withinRequest } from '../../platform/store/request-time.ts';
import type { Services } from '../../services.ts';
import type { Visit } from '../sign-in/visit.ts';
import { askProvider } from './ask.ts';
import { connected, connectorOf } from './begin.ts';
import { concludeSignIn } from './conclude.ts';
import type { ConnectedProvider, Finished, Kept, Received } from './connector.ts';
import { backWithFault } from './fault.ts';

/** Who the person is, in the sign-in that the answer belongs to. */
export async function concludeAnswer(
  visit: Visit,
  registered: Provider,
  answer: Params,
  kept: Kept,
  received?: Received,
): Promise<Answer> {
  const provider = connected(visit, registered);
  const finished = await finishAnswer(visit.services, provider, answer, kept, received);
  // The time of the provider is not that of the database.
  return withinRequest(performance.now(), async () =>
    finished.kind === 'failed'
      ? backWithFault(visit, provider, finished.fault)
      : concludeSignIn(visit, provider, finished.identity),
  );
}

/** By the connector, and noted of the provider whether it answers. */
export async function finishAnswer(
  services: Services,
  provider: ConnectedProvider,
  answer: Params,
  kept: Kept,
  received?: Received,
): Promise<Finished> {
  const { id } = provider;
  const finished: Finished =
    received?.kind === 'failed'
      ? received
      : await askProvider(services, id, async () =>
          (await connectorOf({ services }, provider)).finish(
            { services, provider, callback: callbackOf(services.config.baseUrl, id), said: received?.said },
            answer,
            kept,
          ),
        );
  // What the browser brings says nothing of the provider: anybody could shut it for all others.
  const isHearsay = finished.kind === 'failed' && finished.fault.isByBrowser === true;
  if (!isHearsay) services.providerHealth.note(id, finished.kind !== 'failed' || finished.fault.kind !== 'unavailable');
  return finished;
}

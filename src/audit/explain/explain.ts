import type { Definition, FailureName } from '../../failures.ts';
import * as access from './access.ts';
import * as accessToken from './access-token.ts';
import * as accounts from './accounts.ts';
import * as agent from './agent.ts';
import * as authorization from './authorization.ts';
import * as backchannel from './backchannel.ts';
import * as clientAuthentication from './client-authentication.ts';
import { certificateUnusable } from './client-certificate.ts';
import * as code from './code.ts';
import * as device from './device.ts';
import { refreshPersonGone } from './directory.ts';
import * as dpop from './dpop.ts';
import type { Context, Explanation, RowExplanation, Topic } from './explanation.ts';
import * as identityAssertion from './identity-assertion.ts';
import * as limits from './limits.ts';
import * as operators from './operators.ts';
import * as parameters from './parameters.ts';
import { progressOf } from './progress.ts';
import * as provider from './provider.ts';
import * as redirectUri from './redirect-uri.ts';
import * as refresh from './refresh.ts';
import * as resource from './resource.ts';
import * as response from './response.ts';
import * as scope from './scope.ts';
import * as selfRegistration from './self-registration.ts';
import * as session from './session.ts';
import * as softwareStatement from './software-statement.ts';
import * as tokenExchange from './token-exchange.ts';
import * as transport from './transport.ts';

/**
 * Why was this request refused? From its snapshot (snapshot.ts, taken by audit/refusals/capture.ts) to the rule, what was
 * expected, what was received, the difference, the fix, and how far the request came. Pure. A file for each topic, in it a function
 * for each failure, by its name; the catalogue has the rules, progress.ts the phases of each endpoint.
 */
export function explain(context: Context): Explanation {
  const { snapshot } = context;
  const { rule } = definitionOf(context);
  const finding = (TOPICS[snapshot.reason] ?? fromCatalogue)(context);
  return {
    rule: { text: rule.en, reference: rule.reference },
    expected: finding.expected,
    received: finding.received,
    difference: finding.difference,
    fix: finding.fix,
    call: finding.call,
    progress: progressOf(snapshot),
  };
}

const TOPICS: Readonly<Partial<Record<string, Topic>>> = topics({
  ...transport,
  ...parameters,
  ...clientAuthentication,
  ...selfRegistration,
  ...softwareStatement,
  ...authorization,
  ...response,
  ...redirectUri,
  ...scope,
  ...resource,
  ...code,
  ...refresh,
  ...tokenExchange,
  ...identityAssertion,
  ...dpop,
  ...accessToken,
  ...session,
  ...access,
  ...accounts,
  ...device,
  ...backchannel,
  ...agent,
  ...limits,
  ...provider,
  refreshPersonGone,
  certificateUnusable,
  ...operators,
});

/** The type makes a topic whose name is not that of a failure a compile error. */
function topics<T extends { readonly [Name in keyof T]: Name extends FailureName ? Topic : Helper<T[Name]> }>(
  named: T,
): Readonly<Partial<Record<FailureName, Topic>>> {
  return named;
}

/** What a file exports for other topics. */
type Helper<T> = T extends Topic ? never : T;

/** Of a failure without a topic, the catalogue says all there is to say. */
function fromCatalogue(context: Context): RowExplanation {
  const { rule, cause, fix } = definitionOf(context);
  return { expected: rule.en, received: cause, fix };
}

function definitionOf({ failures, snapshot: { reason } }: Context): Definition {
  const definition = failures.get(reason);
  if (!definition) throw new Error(`no failure has the name ${reason}`);
  return definition;
}

import { apiFields, MAX_APIS } from '../../directory/apis/fields.ts';
import type { Api } from '../../directory/apis/rules.ts';
import type { ApplicationFields } from '../../directory/applications/fields.ts';
import type { ApplicationSettings } from '../../directory/applications/rules.ts';
import { MAX_POLICIES, type PolicyFault, tokenExchangeFaults } from '../../oauth/token-exchange/fields.ts';
import type { ExchangePolicy } from '../../oauth/token-exchange/rules.ts';
import { type CompletedList, complete, completeList } from './complete.ts';
import type { Fault } from './fault.ts';
import type { GivenApi, GivenApplication, GivenPolicy } from './file-schema.ts';

export interface CompletedApplication {
  readonly application: ApplicationSettings;
  /** As it is stored, with the default of every field that has come since. */
  readonly before: ApplicationSettings | undefined;
  readonly removedApis: readonly Api[];
  readonly removedPolicies: readonly ExchangePolicy[];
  /** Their paths begin at the application. */
  readonly faults: readonly Fault[];
}

const { identifier: _, name: __, ...API_DEFAULTS } = apiFields.parse({ identifier: 'urn:none', name: 'None' });

/** The application that an entry makes of the present one. */
export function completeApplication(
  fields: ApplicationFields,
  entry: GivenApplication,
  present: ApplicationSettings | undefined,
  prune: boolean,
): CompletedApplication {
  const { clients: _, apis: givenApis, token_exchange: givenPolicies, ...given } = entry;
  const defaults: ApplicationSettings = { ...fields.defaults, code: entry.code, name: '' };
  const apis = completeList(present?.apis ?? [], givenApis, apiKey, completeApi, prune);
  const policies = completeList(present?.token_exchange ?? [], givenPolicies, policyKey, completePolicy, prune);
  const lists = { apis: apis.all, token_exchange: policies.all };
  const application = { ...complete<ApplicationSettings>(defaults, present, given), ...lists };
  return {
    application,
    before: present && complete(defaults, present, {}),
    removedApis: apis.removed,
    removedPolicies: policies.removed,
    faults: [
      ...(application.name === '' ? [missing('name')] : []),
      ...unnamedApis(givenApis ?? [], apis),
      ...(apis.all.length > MAX_APIS ? [{ path: ['apis'], message: `must have at most ${MAX_APIS} entries` }] : []),
      ...(policies.all.length > MAX_POLICIES ? [tooMany('token_exchange', MAX_POLICIES)] : []),
      ...tokenExchangeFaults(application).map(fault => inFile(fault, givenPolicies ?? [], policies.all)),
    ],
  };
}

const missing = (...path: readonly (string | number)[]): Fault => ({ path, message: 'is missing' });
const tooMany = (field: string, most: number): Fault => ({
  path: [field],
  message: `must have at most ${most} entries`,
});

const apiKey = ({ identifier }: Pick<Api, 'identifier'>) => identifier;
const policyKey = ({ from, to }: Pick<ExchangePolicy, 'from' | 'to'>) => `${from} ${to}`;

function completeApi(given: GivenApi, present: Api | undefined): Api {
  return complete<Api>({ ...API_DEFAULTS, identifier: given.identifier, name: '' }, present, given);
}

function completePolicy(given: GivenPolicy, present: ExchangePolicy | undefined): ExchangePolicy {
  return complete<ExchangePolicy>({ from: given.from, to: given.to, scopes: [] }, present, given);
}

/** A new API needs a name. */
function unnamedApis(given: readonly GivenApi[], { all }: CompletedList<Api>): Fault[] {
  const unnamed = new Set(all.filter(({ name }) => name === '').map(apiKey));
  return given.flatMap((one, index) => (unnamed.has(apiKey(one)) ? [missing('apis', index, 'name')] : []));
}

/** The place of a policy in the file, or the list if only the store has the policy. */
function inFile(
  { path: [list = '', index, field = ''], message }: PolicyFault,
  given: readonly GivenPolicy[],
  all: readonly ExchangePolicy[],
): Fault {
  const policy = all[Number(index)];
  const at = policy ? given.findIndex(one => policyKey(one) === policyKey(policy)) : -1;
  if (at >= 0) return { path: [list, at, field], message };
  return {
    path: [list],
    message: `the policy from ${policy?.from} to ${policy?.to}, which is stored: ${field} ${message}`,
  };
}

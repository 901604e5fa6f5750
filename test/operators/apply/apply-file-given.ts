import assert from 'node:assert/strict';
import { readApplyFiles } from '../../../src/operators/apply/apply-file.ts';
import { completeApplication } from '../../../src/operators/apply/complete-application.ts';
import { completeClient } from '../../../src/operators/apply/complete-client.ts';
import type { Fault } from '../../../src/operators/apply/fault.ts';
import type { ApplyFile } from '../../../src/operators/apply/file-schema.ts';
import { fields } from '../../build/fields.ts';

export const read = (...texts: string[]) =>
  readApplyFiles(
    fields,
    texts.map((text, index) => ({ name: `file-${index}.yaml`, text })),
  );

/** On an empty store: what an entry leaves out has its default. */
export function faults(...texts: string[]): readonly string[] {
  const result = read(...texts);
  const found = result.kind === 'faulty' ? result.faults : faultsOfNew(result.file).map(result.describe);
  assert(found.length > 0, 'the file was accepted');
  return found;
}

export function faultsOfNew({ applications }: ApplyFile): Fault[] {
  return applications.flatMap((entry, a) => {
    const completed = completeApplication(fields.application, entry, undefined, false);
    const ofClients = (entry.clients ?? []).flatMap((client, c) =>
      below(completeClient(fields.client, client, undefined, completed).faults, 'clients', c),
    );
    return below([...completed.faults, ...ofClients], 'applications', a);
  });
}

function below(faults: readonly Fault[], ...path: readonly PropertyKey[]): Fault[] {
  return faults.map(fault => ({ ...fault, path: [...path, ...(fault.path ?? [])] }));
}

/** Without what follows the message: whose fault it is, and the line. */
export const withoutLine = (fault: string) => fault.replace(/ \([^()]*line \d+\)$/, '');

export const application = (over: object = {}) => ({ code: 'shop', name: 'Shop', ...over });
export const withClient = (client: object) => ({
  applications: [application({ clients: [{ client_id: 'ok' }, client] })],
});
export const withUser = (user: object) => ({ users: [{ username: 'zoe' }, user] });
const STOCK_API = { identifier: 'https://stock.shop.example', name: 'Stock' };
export const withApi = (over: object) => ({
  applications: [
    application({ apis: [STOCK_API, { identifier: 'https://api.shop.example', name: 'Orders', ...over }] }),
  ],
});
const ORDERS_API = { identifier: 'https://api.shop.example', name: 'Orders', scopes: { read: 'Read' } };
/** Policies of token exchange, each from the stock API to the orders API unless it says something else. */
export const withPolicy = (...over: readonly object[]) => ({
  applications: [
    application({
      apis: [STOCK_API, ORDERS_API],
      token_exchange: over.map(one => ({
        ...{ from: STOCK_API.identifier, to: ORDERS_API.identifier, scopes: ['read'] },
        ...one,
      })),
    }),
  ],
});
export const withIssuers = (issuers: unknown, over: object = {}) => ({
  applications: [application({ software_statements: { issuers, ...over } })],
});
export const STATEMENTS = 'applications[0].software_statements';
export const POLICY = 'applications[0].token_exchange[0]';
export const API = 'applications[0].apis[1]';
export const CLIENT = 'applications[0].clients[1]';
export const USER = 'users[1]';

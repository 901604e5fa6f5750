import assert from 'node:assert/strict';
import { readApplyFiles } from '../../src/provisioning/apply-file.ts';

export const read = (...texts: string[]) =>
  readApplyFiles(texts.map((text, index) => ({ name: `file-${index}.yaml`, text })));

export function faults(...texts: string[]): readonly string[] {
  const result = read(...texts);
  assert(result.kind === 'faulty', 'the file was accepted');
  return result.faults;
}

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
export const API = 'applications[0].apis[1]';
export const CLIENT = 'applications[0].clients[1]';
export const USER = 'users[1]';

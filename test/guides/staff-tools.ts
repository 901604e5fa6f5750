import assert from 'node:assert/strict';
import { atLogin, logIn } from '../build/people.ts';
import { type Seen, Visitor } from '../build/visitor.ts';
import { wander } from '../clients/wander.ts';
import { type Guide, openGuide } from './run-guide.ts';

const TOOL = { 'npm start': 3000, 'node wiki.mjs': 8080 };
const PROXY = 'oauth2-proxy --config oauth2-proxy.cfg';

/** With the program of the guide where `path` has it, otherwise without. */
export function openStaffTools(path?: string): Promise<Guide> {
  return openGuide('staff-tools', {
    ports: [3000, 4000, 8080],
    ...(path === undefined
      ? { serves: TOOL, notRun: { [PROXY]: 'takes minutes to build; npm run test:go runs it' } }
      : { serves: { ...TOOL, [PROXY]: 4000 }, env: { PATH: path } }),
  });
}

/** Signs somebody in from this address, and returns where that ends: where nothing listens at the client, with the way back to it. */
export async function enter(
  guide: Guide,
  address: string,
  username: string,
  isFollowed = (_: Seen) => true,
): Promise<Seen> {
  const visitor = new Visitor(guide.place('http://localhost:3000'));
  const login = await wander(visitor, address);
  assert(atLogin(login), `${login.text}\n${guide.printed()}`);
  const seen = await logIn(visitor, login, username);
  return isFollowed(seen) ? wander(visitor, seen) : seen;
}

export const hasNoAccess = ({ url, text }: Seen) =>
  url.includes('/login/no-access') && /no access to Staff tools/.test(text);

import { logIn } from '../../build/people.ts';
import type { Seen, Visitor } from '../../build/visitor.ts';
import { wander } from '../wander.ts';

/** From an address of a client over the login page, as alice, to the page that comes after it. */
export async function enterPassword(visitor: Visitor, start: string | Seen): Promise<Seen> {
  return wander(visitor, await logIn(visitor, await wander(visitor, start)));
}

import { PASSWORD } from '../../build/fixture.ts';
import { formWith, type Seen, type Visitor } from '../../build/visitor.ts';
import { wander } from '../wander.ts';

/** From an address of a client over the login page, as alice, to the page that comes after it. */
export async function enterPassword(visitor: Visitor, start: string | Seen): Promise<Seen> {
  const page = await wander(visitor, start);
  return wander(visitor, await visitor.send(formWith(page, 'password'), { username: 'alice', password: PASSWORD }));
}

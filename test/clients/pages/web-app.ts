import assert from 'node:assert/strict';
import { suitePart } from '../../build/suite-part.ts';
import { type Seen, Visitor } from '../../build/visitor.ts';
import { enterPassword } from './log-in.ts';
import { openPage, type PageSetting } from './page.ts';
import { type Program, startNode } from './program.ts';

/** The web application of a page while the tests of a suite run. */
export interface WebApp {
  readonly origin: string;
  readonly setting: PageSetting;
  readonly printed: () => string;
}

/** Started before the tests of the suite that calls this, ended after them. */
export function webAppOf(
  name: string,
  start: (setting: PageSetting) => Promise<Program> = ({ block, port }) => startNode(block('js'), port),
): WebApp {
  const setting = suitePart(() => openPage(name));
  const program = suitePart(() => start(setting));
  return suitePart(() => ({ origin: setting.origin, setting, printed: program.printed }));
}

export interface LoggedIn {
  readonly visitor: Visitor;
  readonly seen: Seen;
}

/** Alice logs in from a path of the application; what it shows her then must be a page and no fault. */
export async function logInAt({ origin, setting, printed }: WebApp, path: string): Promise<LoggedIn> {
  const visitor = new Visitor(setting.server.base);
  const seen = await enterPassword(visitor, `${origin}${path}`);
  assert.equal(seen.status, 200, `${seen.url}\n${seen.text}\n${printed()}`);
  return { visitor, seen };
}

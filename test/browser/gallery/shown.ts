import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { PASSWORD } from '../../build/fixture.ts';
import type { TestServer } from '../../build/test-server.ts';
import { authorizationUrl, type Fields } from '../../build/visitor.ts';
import { takeSession } from '../browser-fixture.ts';

/** Leads the browser to a page. */
export type Open = (page: Page, server: TestServer) => Promise<void>;

/** By their names. */
export type Pages = Readonly<Record<string, Open>>;

export const go =
  (path: string): Open =>
  async (page, server) => {
    await page.goto(`${server.base}${path}`);
  };

export const request =
  (fields: Fields = {}, app?: string): Open =>
  async (page, server) => {
    await page.goto(authorizationUrl(server, fields, app));
  };

export const inSession =
  (then: Open, username = 'alice'): Open =>
  async (page, server) => {
    await takeSession(page, server, username);
    await then(page, server);
    assert.equal(await page.evaluate(has('[action="/login"] [name=password]')), false, 'the session is there');
  };

/** Opens `start`, signs in there, and is on a page that has `then`. */
export const loggingIn =
  (start: Open, username: string, then: string): Open =>
  async (page, server) => {
    await start(page, server);
    await sendForm(page, '[name=password]', { username, password: PASSWORD }, then);
  };

/**
 * Sends the form of `control` (by that button, if it is one) with these values, and waits for the page that answers, which has
 * `then`. Typing and pressing as a person does costs several times as much, and is tested elsewhere.
 */
export async function sendForm(
  page: Page,
  control: string,
  values: Readonly<Record<string, string>>,
  then: string,
): Promise<void> {
  const loaded = page.waitForEvent('load');
  await page.evaluate(`{
    const control = document.querySelector(${JSON.stringify(control)});
    const form = control.form;
    for (const [name, value] of Object.entries(${JSON.stringify(values)})) form.elements[name].value = value;
    form.requestSubmit(control.type === 'submit' ? control : undefined);
  }`);
  await loaded;
  assert(await page.evaluate(has(then)), `${page.url()} has ${then}`);
}

const has = (selector: string) => `document.querySelector(${JSON.stringify(selector)}) !== null`;

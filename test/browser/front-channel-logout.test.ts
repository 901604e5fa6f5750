import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { redeem } from '../build/client.ts';
import { aClient, anApplication } from '../build/fixture.ts';
import { suitePart } from '../build/suite-part.ts';
import { until } from '../build/until.ts';
import { arrivalsAt, fillIn, openBrowserFixture, signInButton, visit } from './browser-fixture.ts';

const fixture = suitePart(openBrowserFixture);

/** The client of the fixture, which is told at this path of its origin. */
async function toldAt(path: string): Promise<void> {
  const { server, client } = fixture;
  await server.provision({
    applications: [
      anApplication({
        clients: [
          aClient({
            ...{ redirect_uris: [`${client.origin}/cb`], post_logout_redirect_uris: [`${client.origin}/bye`] },
            ...{ frontchannel_logout_uri: client.origin + path, frontchannel_logout_session_required: true },
          }),
        ],
      }),
    ],
  });
}

/** Signs in, signs out, and confirms it. */
async function signOut(seen: Awaited<ReturnType<typeof visit>>) {
  const { page } = seen;
  const { server, client } = fixture;
  await page.goto(fixture.request());
  await fillIn(page);
  await signInButton(page).click();
  await page.waitForURL(`${client.origin}/cb?**`);
  const { code } = Object.fromEntries(new URL(page.url()).searchParams);
  await redeem(server, code, { redirect_uri: `${client.origin}/cb` });
  const fields = new URLSearchParams({ client_id: 'web', post_logout_redirect_uri: `${client.origin}/bye` });
  await page.goto(`${server.at()}/logout?${fields}`);
  await page.getByRole('button', { name: 'Sign out' }).click();
}

describe('front-channel logout in a browser (Front-Channel Logout sections 2 and 3)', () => {
  it('the frame arrives at the client with iss and sid, and the person goes on as soon as it is loaded', async t => {
    await toldAt('/signed-out');
    const seen = await visit(fixture.browser);
    t.after(seen.close);
    await signOut(seen);
    await seen.page.waitForURL(`${fixture.client.origin}/bye`);
    const [told] = arrivalsAt(fixture.client, '/signed-out');
    assert.deepEqual(Object.keys(told?.fields ?? {}), ['iss', 'sid']);
    assert.equal(told?.fields.iss, fixture.server.at());
    assert.deepEqual(seen.complaints, []);
  });

  it('a client that never answers holds nobody up: the page goes on by itself', async t => {
    await toldAt('/never');
    const seen = await visit(fixture.browser);
    t.after(seen.close);
    await signOut(seen);
    await until('the frame has arrived', () => arrivalsAt(fixture.client, '/never').length === 1);
    await seen.page.waitForURL(`${fixture.client.origin}/bye`);
  });
});

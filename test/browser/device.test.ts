import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aTv, aWaitingDevice, pollFor } from '../build/device.ts';
import { anApplication, PASSWORD } from '../build/fixture.ts';
import { suitePart } from '../build/suite-part.ts';
import { startTestServer } from '../build/test-server.ts';
import { visit } from './browser-fixture.ts';
import { openChromium } from './chromium.ts';

/** A person connects a device (RFC 8628) in a real browser. */
describe('/device in Chromium', () => {
  const server = suitePart(() => startTestServer({ applications: [anApplication({ clients: [aTv()] })] }));
  const browser = suitePart(openChromium);

  for (const javaScriptEnabled of [true, false]) {
    it(`by keyboard alone, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, async t => {
      const device = await aWaitingDevice(server);
      const { page, complaints, close } = await visit(browser, { javaScriptEnabled });
      t.after(close);
      await page.goto(device.verification_uri);
      await page.locator('[name=user_code]:focus').waitFor();
      await page.keyboard.type(device.user_code.toLowerCase().replace('-', ' '));
      await page.keyboard.press('Enter');
      await page.locator('[name=username]:focus').waitFor();
      await page.keyboard.type('alice');
      await page.keyboard.press('Tab');
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');
      await page.locator('[value=allow]').waitFor();
      assert.equal(await page.locator('.user-code').textContent(), device.user_code);
      await page.keyboard.press('Tab');
      assert.equal(await page.locator('[value=allow]:focus').count(), 1, 'Allow is the first control');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Your device is connected' }).waitFor();
      assert.deepEqual(complaints, []);
      assert.equal((await pollFor(server, device)).status, 200);
    });
  }

  it('from the address with the code, as from a QR code: Continue, and a double click on Allow does no harm', async t => {
    const device = await aWaitingDevice(server);
    const { page, close } = await visit(browser);
    t.after(close);
    await page.goto(device.verification_uri_complete);
    await page.locator('button:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[name=username]').fill('alice');
    await page.locator('[name=password]').fill(PASSWORD);
    await page.locator('[name=password]').press('Enter');
    await page.locator('[value=allow]').dblclick();
    await page.getByRole('heading', { name: /Your device is connected/ }).waitFor();
    assert.equal((await pollFor(server, device)).status, 200);
  });
});

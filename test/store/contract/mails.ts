import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NewMail } from '../../../src/notify/mail/store.ts';
import { DAY, NOW, type OpenStore, race } from './given.ts';
import { openForEach } from './open-store.ts';

export const aMail = (id: string, changes: Partial<NewMail> = {}): NewMail => ({
  id,
  sealed: Buffer.from(`sealed ${id}`),
  createdAt: NOW,
  expiresAt: NOW + DAY,
  ...changes,
});

export function mailsContract(open: OpenStore): void {
  describe('the queue of mails', () => {
    const { store, another } = openForEach(open);
    const idsAt = async (now: number, leaseUntil = now + 60, limit = 100) =>
      (await store.takeMails(now, leaseUntil, limit)).map(({ id }) => id).sort();

    it('gives back what was added, and counts the attempts', async () => {
      assert.equal(await store.addMail(aMail('a'), 10), true);
      const [first] = await store.takeMails(NOW, NOW + 60, 10);
      assert.deepEqual({ ...first, sealed: Buffer.from(first?.sealed ?? '') }, { ...aMail('a'), attempts: 1 });
      const [second] = await store.takeMails(NOW + 60, NOW + 120, 10);
      assert.equal(second?.attempts, 2);
    });

    it('gives a mail to nobody else until the lease ends', async () => {
      await store.addMail(aMail('a'), 10);
      assert.deepEqual(await idsAt(NOW, NOW + 60), ['a']);
      assert.deepEqual(await idsAt(NOW + 59), []);
      assert.deepEqual(await idsAt(NOW + 60), ['a']);
    });

    it('gives each mail to one of many that take at the same time', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `mail-${String(index).padStart(2, '0')}`);
      for (const id of ids) await store.addMail(aMail(id), 100);
      const taken = await race([store, await another()], 8, store => store.takeMails(NOW, NOW + 60, 5));
      const all = taken.flat().map(({ id }) => id);
      assert.equal(new Set(all).size, all.length);
    });

    it('takes no more than its limit, and an entry of the same id once', async () => {
      assert.deepEqual(
        [await store.addMail(aMail('a'), 2), await store.addMail(aMail('a'), 2), await store.addMail(aMail('b'), 2)],
        [true, true, true],
      );
      assert.equal(await store.addMail(aMail('c'), 2), false);
      assert.equal(await store.countWaitingMails(), 2);
    });

    it('forgets what is finished, and keeps what is postponed until then', async () => {
      await store.addMail(aMail('a'), 10);
      await store.addMail(aMail('b'), 10);
      await store.takeMails(NOW, NOW + 60, 10);
      await store.finishMail('a');
      await store.postponeMail('b', NOW + 500);
      assert.deepEqual(await idsAt(NOW + 499), []);
      assert.deepEqual(await idsAt(NOW + 500), ['b']);
      assert.equal(await store.countWaitingMails(), 1);
    });

    it('is purged of what nobody sends', async () => {
      await store.addMail(aMail('old', { expiresAt: NOW }), 10);
      await store.addMail(aMail('new'), 10);
      await store.purge(NOW + 3601, 100);
      assert.deepEqual(await idsAt(NOW), ['new']);
    });
  });
}

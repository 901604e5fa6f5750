import type { Event } from '../../audit/events/rules.ts';
import type { Store } from '../../store.ts';
import type { backupEvents } from './events.ts';

type BackupEvent = keyof typeof backupEvents;
/** What the server knows of backups. It cannot look at them: only what was recorded counts, as long as events are kept. */
export interface LastBackup {
  /** `elsewhere`: an operator said that another system makes them. */
  readonly kind: 'made' | 'elsewhere';
  readonly at: number;
}

export async function lastBackup(store: Pick<Store, 'listEvents'>): Promise<LastBackup | undefined> {
  const [made, elsewhere] = await Promise.all([newest(store, 'backup.made'), newest(store, 'backup.elsewhere')]);
  if (made && (!elsewhere || made.id > elsewhere.id)) return { kind: 'made', at: made.time };
  return elsewhere && { kind: 'elsewhere', at: elsewhere.time };
}

/** Of one type, which an index finds however many events there are. */
async function newest(store: Pick<Store, 'listEvents'>, type: BackupEvent): Promise<Event | undefined> {
  const [event] = await store.listEvents({ types: [type] }, { after: undefined, limit: 1 });
  return event;
}

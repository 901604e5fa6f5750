import { type Store, StoreUnavailable } from '../store.ts';

export async function openPostgresStore(_address: { readonly hosts: readonly string[] }): Promise<Store> {
  throw new StoreUnavailable('not yet');
}

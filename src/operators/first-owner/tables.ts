import { table } from '../../platform/store/table.ts';

export const firstOwnerTables = [table('owner_link', { notCopied: 'the next start makes another' })];

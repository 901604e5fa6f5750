import { copied, table } from '../../platform/store/table.ts';

export const myDataTables = [table('account_deletions', { copy: copied('sub', 'sub due_at:i') })];

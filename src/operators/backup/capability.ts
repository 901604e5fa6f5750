import { capability } from '../../capability.ts';
import { operationsOf } from '../api/operation-table.ts';

/**
 * Backups: `gatehouse backup FILE` of the embedded store (command.ts), and what is known of those that were made, which are events of
 * the audit log: `backup.made` and `backup.elsewhere`.
 */
export const backup = capability('operators/backup', {
  operations: [operationsOf(() => import('./operations.ts'), { '/backups': { POST: 'recordBackup' } })],
});

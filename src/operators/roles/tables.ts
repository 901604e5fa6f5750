import { copied, table } from '../../platform/store/table.ts';

export const operatorTables = [
  table('operators', { placement: 'reference', copy: copied('sub', 'sub role applications created_at:i') }),
];

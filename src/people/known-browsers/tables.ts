import { copied, table } from '../../platform/store/table.ts';

export const knownBrowserTables = [table('browser_notices', { copy: copied('sub', 'sub notices:i window_ends_at:i') })];
